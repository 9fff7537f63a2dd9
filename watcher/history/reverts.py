"""Changes in order -> what takes what back, what stands, what came again. Pure.

A change stands unless a standing change reverts it; so the newest are judged first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from watcher.facts.message import Mention, MentionKind
from watcher.history.lookup import ChangeIndex, LinkInput, normal_title

_PARTIAL: Final = re.compile(
    r"\bpartial(?:ly)?\s+(?:revert|back)|\brevert\w*\s+(?:partial|parts?\s+of)"
    r"|\brevert\b.{0,80}\bpart\s+of\s+change",
    re.IGNORECASE,
)


class Reverts(Struct):
    """Ordinals of an index's changes."""

    targets: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Change -> the earlier changes that it takes back."""
    withdrawn_by: dict[int, int] = field(default_factory=dict)
    """Change -> the standing change of its branch that took it back."""
    relanded_as: dict[int, int] = field(default_factory=dict)
    """Change -> the change that brought it back."""


def find_reverts(index: ChangeIndex) -> Reverts:
    """Reverts, what they leave standing, and relands."""
    found = Reverts()
    reverted_by: dict[int, int] = {}
    for at, change in enumerate(index.changes):
        targets = _targets(index, at, change, reverted_by)
        if not targets:
            continue
        found.targets[at] = targets
        for target in targets:
            if _same_line(index, at, target):
                reverted_by[target] = at
    _judge(index, found)
    _find_relands(index, found, reverted_by)
    return found


def _judge(index: ChangeIndex, found: Reverts) -> None:
    for at in sorted(found.targets, reverse=True):
        if at in found.withdrawn_by:
            continue
        for target in found.targets[at]:
            if _same_line(index, at, target):
                found.withdrawn_by.setdefault(target, at)


def _same_line(index: ChangeIndex, one: int, other: int) -> bool:
    return index.changes[one].branch == index.changes[other].branch


def _targets(
    index: ChangeIndex, at: int, change: LinkInput, reverted_by: Mapping[int, int]
) -> tuple[int, ...]:
    """By object name, then by the quoted title, then by number."""
    message = change.message
    reverting = [m for m in message.mentions if m.kind is MentionKind.REVERTS]
    returning = [m for m in message.mentions if m.kind is MentionKind.RELANDS]
    if not (reverting or returning) or _PARTIAL.search(message.title):
        return ()
    by_sha = _resolved(index, at, change, (m for m in reverting if m.sha is not None))
    if by_sha:
        return by_sha
    titled = [m for m in returning if m.title is not None and "revert" in m.quote.lower()]
    if titled:
        return _reverts_of(index, at, change, returning, reverted_by)
    return _resolved(index, at, change, reverting)


def _resolved(
    index: ChangeIndex, at: int, change: LinkInput, mentions: Iterable[Mention]
) -> tuple[int, ...]:
    ordinals = (index.resolve(m, before=at, branch=change.branch) for m in mentions)
    return tuple(dict.fromkeys(ordinal for ordinal in ordinals if ordinal is not None))


def _reverts_of(
    index: ChangeIndex,
    at: int,
    change: LinkInput,
    mentions: Iterable[Mention],
    reverted_by: Mapping[int, int],
) -> tuple[int, ...]:
    """For a revert of a revert: the revert that it undoes."""
    reverts = (reverted_by.get(target) for target in _resolved(index, at, change, mentions))
    return tuple(dict.fromkeys(revert for revert in reverts if revert is not None))


def _find_relands(index: ChangeIndex, found: Reverts, reverted_by: Mapping[int, int]) -> None:
    returns: dict[int, list[int]] = {}
    for at, targets in found.targets.items():
        for target in targets:
            for undone in found.targets.get(target, ()):
                returns.setdefault(undone, []).append(at)
    for at, change in enumerate(index.changes):
        for mention in change.message.mentions:
            if mention.kind is MentionKind.RELANDS and at not in found.targets:
                named = index.resolve(mention, before=at, branch=change.branch)
                if named is not None:
                    returns.setdefault(named, []).append(at)
    for target, revert in reverted_by.items():
        later = [at for at in (*returns.get(target, ()), *_again(index, target)) if at > revert]
        _choose(index, found, target, later)


def _again(index: ChangeIndex, target: int) -> list[int]:
    """Later changes with the same number or the same title."""
    message = index.changes[target].message
    same = list(index.all_of_title(message.title))
    if message.number is not None:
        same += index.all_of_number(message.number)
    return [at for at in same if at > target and normal_title(message.title)]


def _choose(index: ChangeIndex, found: Reverts, target: int, later: list[int]) -> None:
    on_line = sorted(at for at in set(later) if _same_line(index, at, target))
    standing = [at for at in on_line if at not in found.withdrawn_by]
    if standing or on_line:
        found.relanded_as[target] = (standing or on_line)[-1]
