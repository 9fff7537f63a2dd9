"""What an installed distribution says of itself, without importing it -> a reading. Pure.

Order of trust: the commit in ``direct_url.json``, ``git_version`` of a ``version.py``, the version.
"""

from __future__ import annotations

import json
import re

from msgspec import Struct

from watcher.facts.usage import Source
from watcher.pins.addresses import (
    local_path,
    read_archive_address,
    read_git_address,
    without_credential,
)
from watcher.pins.records import SHA, CheckoutAt, Found, Reading, Ref, normalise, reading_of
from watcher.pins.versions import read_version

_GIT_VERSION = re.compile(
    r"^[ \t]*(?:git_version|__?commit(?:_id)?__?|commit_id|__git_version__)[ \t]*"
    r"""(?::[^=\n]{1,60})?=[ \t]*(?:\w{1,40}[ \t]*=[ \t]*)?["']g?([0-9a-f]{7,40})["']""",
    re.MULTILINE,
)
_VERSION_LINE = re.compile(r"^Version:[ \t]*(\S{1,100})", re.MULTILINE | re.IGNORECASE)


class InstalledTexts(Struct, frozen=True, kw_only=True):
    """The texts of one installed distribution; None for a file that is not there."""

    dist: str
    where: str
    """Path of the metadata directory, for telling."""
    metadata: str | None = None
    direct_url: str | None = None
    version_file: str | None = None
    """``version.py`` or ``_version.py`` of the import package."""


def read_installed(texts: InstalledTexts) -> Reading | None:
    """The reading of an installed distribution; None when nothing tells its version."""
    where = Source(f"{texts.where}/direct_url.json")
    direct = _read_direct_url(texts.direct_url or "", texts.dist, where)
    if direct is not None:
        return direct
    version = installed_version(texts.metadata or "")
    commit = _GIT_VERSION.search(texts.version_file or "")
    if commit and (version is None or _is_exact(commit[1])):
        outcome = Ref(commit[1], note=f"version {version}" if version else None)
        where = Source(f"{texts.where}: version file")
        return reading_of(outcome, dist=texts.dist, where=where, written=commit[1])
    if version is None:
        return None
    where = Source(f"{texts.where}/METADATA")
    return reading_of(read_version(version), dist=texts.dist, where=where, written=version)


def installed_version(metadata: str) -> str | None:
    """The ``Version:`` header."""
    match = _VERSION_LINE.search(metadata[:20_000])
    return match[1] if match else None


def _is_exact(sha: str) -> bool:
    return SHA.fullmatch(sha) is not None


def _read_direct_url(text: str, dist: str, where: Source) -> Reading | None:
    """PEP 610: the commit of a git install, the directory of an editable one."""
    try:
        data: object = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not isinstance(url := data.get("url"), str):
        return None
    vcs = data.get("vcs_info")
    if isinstance(vcs, dict):
        commit = vcs.get("commit_id")
        ref = commit if isinstance(commit, str) else None
        found = read_git_address(url, where, dist=dist, ref=ref)
        asked = vcs.get("requested_revision")
        return _with_note(found, asked) if isinstance(found, Found) else found
    if "dir_info" in data and url.startswith("file://"):
        return CheckoutAt(dist=normalise(dist), path=local_path(url), where=where)
    archive = read_archive_address(without_credential(url), where, dist=dist)
    return archive if isinstance(archive, Found) else None


def _with_note(found: Found, asked: object) -> Found:
    if not isinstance(asked, str) or asked == found.ref or not asked.isprintable():
        return found
    return Found(
        dist=found.dist,
        ref=found.ref,
        where=found.where,
        upstream=found.upstream,
        git=found.git,
        note=f'installed from "{asked[:60]}"',
    )
