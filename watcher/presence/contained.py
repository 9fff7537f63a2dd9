"""The commits that a pin carries on top of its fork point -> which landed changes it already has.

Pure. A release branch or a fork carries a change under another sha: recognised by the sha itself, a
"cherry picked from" trailer, the title (also without its leading tags), the pull request's number
where a pick names it, or the stable patch-id. Only commits from the fork point to the pin count: a
pick that came to the branch after the pin is a way to get the fix, not a fix that is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.history.lookup import core_title, normal_title

_SHORTEST_TITLE: Final = 12
_SHORTEST_CORE: Final = 18
"""Characters that a title without its tags must have to say which change it is."""
_SHORTEST_ENDING: Final = 24
_BODY_LIMIT: Final = 20_000
_SHA: Final = r"([0-9a-f]{12,40})"
_TRAILER = re.compile(r"cherry[ -]?picked from(?: commit)? " + _SHA, re.IGNORECASE)
_NUMBER = re.compile(r"(?:#|/pull/)(\d{1,9})\b")
_PICK_LINE = re.compile(r"cherry[ -]?pick|back-?port|\bpick(?:s|ed|ing)?\b", re.IGNORECASE)
_LONE_NUMBER = re.compile(r"\(?#(\d{1,9})\)?")


class CarriedCommit(Struct, frozen=True):
    """A commit between the fork point and the pin, or a patch file on top of it."""

    sha: str
    """Object name; for a patch file its name."""
    message: str
    """Subject and body."""
    patch_id: str | None = None
    is_patch_file: bool = False


class Containment(Struct, frozen=True):
    """How a pin has a change."""

    holder: str
    """Sha of the commit that carries it, or the name of a patch file."""
    how: str
    """Sentence fragment: ``same title``, ``same patch``."""
    is_patch_file: bool = False


class Carried:
    """What a pin carries, indexed once for any number of changes."""

    def __init__(self, commits: Iterable[CarriedCommit]) -> None:
        self._commits: dict[str, CarriedCommit] = {}
        self._by_title: dict[str, str] = {}
        self._by_core: dict[str, str] = {}
        self._titled: dict[int, str] = {}
        self._named: dict[int, str] = {}
        self._trailers: dict[str, str] = {}
        self._by_patch: dict[str, str] = {}
        for commit in commits:
            self._commits[commit.sha] = commit
            self._index(commit)

    def __bool__(self) -> bool:
        return bool(self._commits)

    def _index(self, commit: CarriedCommit) -> None:
        from watcher.history.titles import parse_title  # few pins carry anything

        subject, _, body = commit.message.partition("\n")
        body = body[:_BODY_LIMIT]
        for sha in _TRAILER.findall(body):
            self._trailers.setdefault(sha[:12], commit.sha)
        if commit.patch_id:
            self._by_patch.setdefault(commit.patch_id, commit.sha)
        title = parse_title(subject)
        if title.reverts:
            return
        self._by_title.setdefault(normal_title(title.title), commit.sha)
        self._by_core.setdefault(core_title(title.title), commit.sha)
        for number in _NUMBER.findall(subject):
            self._titled.setdefault(int(number), commit.sha)
        for line in body.splitlines():
            lone = _LONE_NUMBER.fullmatch(line.strip())
            found = [lone[1]] if lone else _NUMBER.findall(line) if _PICK_LINE.search(line) else []
            for number in found:
                self._named.setdefault(int(number), commit.sha)

    def find(self, change: Change, patch_id: str | None = None) -> Containment | None:
        """The commit that carries a change, or None. ``patch_id`` is the change's own."""
        by_name = self._find_by_name(change)
        if by_name is not None:
            return self._containment(*by_name)
        if patch_id is not None and patch_id in self._by_patch:
            return self._containment(self._by_patch[patch_id], "same patch")
        return None

    def _containment(self, holder: str, how: str) -> Containment:
        return Containment(holder, how, self._commits[holder].is_patch_file)

    def _find_by_name(self, change: Change) -> tuple[str, str] | None:
        number = change.number
        candidates = (
            (change.sha if change.sha in self._commits else None, "same commit"),
            (self._trailers.get(change.sha[:12]), "named by its cherry-pick trailer"),
            (self._same_title(change.message.title), "same title"),
            (self._titled.get(number) if number else None, "its number in the title"),
            (self._named.get(number) if number else None, "its number in the message"),
        )
        for holder, how in candidates:
            if holder is not None:
                return holder, how
        return None

    def _same_title(self, title: str) -> str | None:
        whole = normal_title(title)
        if len(whole) >= _SHORTEST_TITLE and whole in self._by_title:
            return self._by_title[whole]
        core = core_title(title)
        if len(core) >= _SHORTEST_CORE and core in self._by_core:
            return self._by_core[core]
        if len(whole) >= _SHORTEST_ENDING:
            for other, sha in self._by_title.items():
                if other.endswith(whole):
                    return sha
        return None


def find_contained(
    change: Change, carried: Carried, patch_ids: Mapping[str, str] | None = None
) -> Containment | None:
    """How the pin has a change that landed after its fork point, or None."""
    if not carried:
        return None
    return carried.find(change, (patch_ids or {}).get(change.sha))
