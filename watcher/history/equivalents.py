"""Changes of several branches -> groups that are one change landed more than once. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from watcher.facts.message import MentionKind
from watcher.history.lookup import ChangeIndex, LinkInput, core_title, normal_title

_TITLE_LETTERS: Final = 12
_CORE_LETTERS: Final = 18
_COMMON_TITLE: Final = 3
"""A title that so many changes of one line bear does not tell them apart."""


class Equivalents(Struct):
    """Ordinals of an index's changes."""

    others: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Change -> the same change elsewhere, the tracked line first."""
    how: dict[int, str] = field(default_factory=dict)
    """How it was recognised, as a sentence fragment."""

    def representative(self, ordinal: int, index: ChangeIndex) -> int:
        """The one of a group that stands for it: on the tracked line if there is one."""
        others = self.others.get(ordinal)
        if others is None:
            return ordinal
        group = (ordinal, *others)
        return min(group, key=lambda at: (index.changes[at].position is None, at))


class _Tables(Struct):
    """Ordinals by what makes changes equal."""

    cores: dict[str, list[int]]
    patches: dict[str, list[int]]


def find_equivalents(index: ChangeIndex, patch_ids: Mapping[str, str]) -> Equivalents:
    """Equal changes across branches: by trailer, number, title or stable patch-id (sha -> id)."""
    off_line = [at for at, change in enumerate(index.changes) if change.position is None]
    groups: dict[int, set[int]] = {}
    how: dict[int, str] = {}
    if off_line:
        tables = _tables(index, patch_ids)
        for at in off_line:
            match = _match(index, at, tables, patch_ids)
            if match is not None:
                other, reason = match
                _join(groups, at, other)
                how.setdefault(at, reason)
                how.setdefault(other, reason)
    found = Equivalents(how=how)
    for at, group in groups.items():
        others = sorted(group - {at}, key=lambda o: (index.changes[o].position is None, o))
        found.others[at] = tuple(others)
    return found


def _tables(index: ChangeIndex, patch_ids: Mapping[str, str]) -> _Tables:
    tables = _Tables(defaultdict(list), defaultdict(list))
    for at, change in enumerate(index.changes):
        core = core_title(change.message.title)
        if len(core) >= _CORE_LETTERS:
            tables.cores[core].append(at)
        patch_id = patch_ids.get(change.sha)
        if patch_id is not None:
            tables.patches[patch_id].append(at)
    return tables


def _match(
    index: ChangeIndex, at: int, tables: _Tables, patch_ids: Mapping[str, str]
) -> tuple[int, str] | None:
    change = index.changes[at]
    return (
        _by_statement(index, at, change)
        or _by_number(index, at, change)
        or _by_patch(index, at, tables.patches.get(patch_ids.get(change.sha, ""), []))
        or _by_title(index, at, change, tables)
    )


def _by_statement(index: ChangeIndex, at: int, change: LinkInput) -> tuple[int, str] | None:
    end = len(index.changes)
    for mention in change.message.mentions:
        if mention.kind is not MentionKind.BACKPORT_OF:
            continue
        found = index.resolve(mention, before=end)
        if found is not None and found != at and index.changes[found].branch != change.branch:
            name = f"#{mention.number}" if mention.number is not None else (mention.sha or "")[:9]
            return found, f"its message says it was picked from {name}"
    return None


def _by_number(index: ChangeIndex, at: int, change: LinkInput) -> tuple[int, str] | None:
    message = change.message
    title_numbers = [
        mention.number
        for mention in message.mentions
        if mention.number is not None and f"(#{mention.number})" in message.subject
    ]
    for number in (message.number, *title_numbers):
        others = [] if number is None else index.all_of_number(number)
        found = _nearest(index, at, [o for o in others if _may_equal(index, at, o)])
        if found is not None:
            return found, f"same number #{number}"
    return None


def _by_patch(index: ChangeIndex, at: int, others: list[int]) -> tuple[int, str] | None:
    found = _nearest(index, at, [other for other in others if _is_elsewhere(index, at, other)])
    return None if found is None else (found, "same stable patch-id")


def _by_title(
    index: ChangeIndex, at: int, change: LinkInput, tables: _Tables
) -> tuple[int, str] | None:
    title = change.message.title
    if len(normal_title(title)) >= _TITLE_LETTERS:
        same = [other for other in index.all_of_title(title) if _may_equal(index, at, other)]
        found = _nearest(index, at, same)
        if found is not None:
            return found, "same title"
    if title.endswith(("…", "...")):
        whole = [other for other in index.titled_from(title) if _may_equal(index, at, other)]
        found = _nearest(index, at, whole)
        if found is not None:
            return found, "same title, cut"
    same = [o for o in tables.cores.get(core_title(title), []) if _may_equal(index, at, o)]
    found = _nearest(index, at, same)
    return None if found is None else (found, "same title without its leading tags")


def _is_elsewhere(index: ChangeIndex, at: int, other: int) -> bool:
    return at != other and index.changes[at].branch != index.changes[other].branch


def _may_equal(index: ChangeIndex, at: int, other: int) -> bool:
    """Elsewhere, and both are reverts or neither is."""
    if not _is_elsewhere(index, at, other):
        return False
    return _is_revert(index.changes[at]) == _is_revert(index.changes[other])


def _is_revert(change: LinkInput) -> bool:
    return any(
        mention.kind is MentionKind.REVERTS and mention.title is not None
        for mention in change.message.mentions
    )


def _nearest(index: ChangeIndex, at: int, others: list[int]) -> int | None:
    """The one on the tracked line that landed nearest in time, else the nearest of all; None when
    too many of one line are alike.
    """
    on_line = [other for other in others if index.changes[other].position is not None]
    if len(on_line) > _COMMON_TITLE:
        return None
    candidates = on_line or others
    if not candidates:
        return None
    landed = index.changes[at].message.committed_at
    return min(candidates, key=lambda o: abs(index.changes[o].message.committed_at - landed))


def _join(groups: dict[int, set[int]], one: int, other: int) -> None:
    group = groups.get(one, {one}) | groups.get(other, {other})
    for member in group:
        groups[member] = group
