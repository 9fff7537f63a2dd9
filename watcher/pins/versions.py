"""A version number, specifier, git ref or free value in; the ref that it names, or a refusal, out.

Pure. Nothing is guessed: ranges, development builds, rolling names and branches are refused.
"""

from __future__ import annotations

import re
from typing import Final

from watcher.pins.records import SHA, Ref, Refusal
from watcher.settings.addresses import refuse_ref

PIN_A_COMMIT: Final = "pin a release or a commit, or set ref in the configuration"
PIN_THE_COMMIT: Final = "pin the commit in use, or set ref in the configuration to it"

_COMMIT_LABEL = re.compile(r"(?:g|git)([0-9a-f]{7,40})")
_BARE_COMMIT = re.compile(r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}")
_DIRTY = re.compile(r"d[0-9]{8}")
_ROLLING = re.compile(
    "main|master|head|dev|devel|develop|development|trunk|default|nightly|latest|stable|edge|next"
    "|rolling|preview|canary|viable/strict|staging|release"
)
_BRANCH_PREFIXES: Final = (
    "refs/heads/",
    "origin/",
    "release/",
    "releases/",
    "feature/",
    "refs/pull/",
)


def read_version(written: str) -> Ref | Refusal:
    """The release or commit that a PEP 440 version stands for."""
    from packaging.version import InvalidVersion, Version  # only version numbers need it

    try:
        version = Version(written.strip()[:100])
    except InvalidVersion:
        return Refusal(f"{_show(written)} is not a version number", PIN_A_COMMIT)
    labels = version.local.split(".") if version.local else []
    dirty = "built from a tree with local changes" if any(map(_DIRTY.fullmatch, labels)) else None
    for label in labels:
        if _DIRTY.fullmatch(label):
            continue
        match = _COMMIT_LABEL.fullmatch(label)
        if match or _BARE_COMMIT.fullmatch(label):
            return Ref(match[1] if match else label, note=dirty)
    if version.is_devrelease:
        return Refusal(
            f"{version} is a development build that does not name its commit", PIN_A_COMMIT
        )
    note = f"build label +{version.local} left out" if version.local else dirty
    return Ref(version.public, is_version=True, note=note)


def read_specifier(written: str) -> Ref | Refusal:
    """The release that a requirement's specifier fixes."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    text = written.strip()[:300]
    if not text:
        return Refusal("no version is given", PIN_A_COMMIT)
    try:
        clauses = list(SpecifierSet(text))
    except InvalidSpecifier:
        return Refusal(f"{_show(text)} is not a version specifier", PIN_A_COMMIT)
    exact = {
        clause.version
        for clause in clauses
        if clause.operator in {"==", "==="} and "*" not in clause.version
    }
    if len(exact) != 1:
        return Refusal(
            f"{_show(text)} is a range",
            'pin one version with "==", or set ref in the configuration to the version in use',
        )
    return read_version(exact.pop())


def read_git_ref(written: str | None) -> Ref | Refusal:
    """The sha or tag after ``@`` in a git address, or in a checkout command."""
    if not written:
        return Refusal("no commit is given, so the default branch's tip is taken", PIN_THE_COMMIT)
    ref = written.strip().removeprefix("refs/tags/").removeprefix("tags/")
    if "$" in ref:
        return Refusal(f"{_show(ref)} is set elsewhere", PIN_A_COMMIT)
    if refusal := refuse_ref(ref):
        return Refusal(f"{_show(ref)} {refusal}", PIN_A_COMMIT)
    if SHA.fullmatch(ref.lower()):
        return Ref(ref.lower())
    if is_moving(ref):
        return Refusal(f'"{ref}" is a branch and moves', PIN_THE_COMMIT)
    return Ref(ref)


def read_value(written: str) -> Ref | Refusal:
    """The ref that a variable's value names: sha, tag or version number."""
    text = written.strip()
    if re.match(r"[0-9]+\.[0-9]", text) and not SHA.fullmatch(text):
        return read_version(text)
    return read_git_ref(text)


def is_moving(ref: str) -> bool:
    """True for names that are a branch or a rolling tag by all custom."""
    lowered = ref.lower()
    return _ROLLING.fullmatch(lowered) is not None or lowered.startswith(_BRANCH_PREFIXES)


def _show(text: str) -> str:
    shown = ascii(text.strip())[1:-1] if not text.strip().isprintable() else text.strip()
    return f'"{shown[:60]}"'
