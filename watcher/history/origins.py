"""Mentions of a fix -> the earlier changes that its author says brought the fault. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from watcher.facts.kind import Kind
from watcher.facts.message import Mention, MentionKind
from watcher.history.lookup import ChangeIndex, LinkInput
from watcher.history.reverts import Reverts

_LIMIT: Final = 5
_MENDING: Final = frozenset({Kind.FIX, Kind.REVERT})
_BLAMING: Final = frozenset({MentionKind.INTRODUCED_BY, MentionKind.AFTER, MentionKind.REVERTS})


class NamedOrigins(Struct, frozen=True):
    """Ordinals of the blamed changes, and the words that blame the first."""

    origins: tuple[int, ...]
    quote: str


def named_origins(index: ChangeIndex, at: int, reverts: Reverts) -> NamedOrigins | None:
    """What the author of a fix names as the origin of the fault; None for no one.

    A revert's origin is what it takes back. Only earlier changes of this upstream count.
    """
    change = index.changes[at]
    targets = reverts.targets.get(at)
    if targets:
        return NamedOrigins(targets, change.message.title[:120])
    if change.message.kind not in _MENDING:
        return None
    found: dict[int, str] = {}
    for mention in _blames(change):
        origin = index.resolve(mention, before=at, branch=change.branch)
        if origin is not None and reverts.relanded_as.get(origin) != at and len(found) < _LIMIT:
            found.setdefault(origin, mention.quote)
    if not found:
        return None
    return NamedOrigins(tuple(found), next(iter(found.values())))


def _blames(change: LinkInput) -> Iterator[Mention]:
    message = change.message
    for mention in message.mentions:
        if mention.kind in _BLAMING:
            yield mention
    for mention in message.mentions:
        if mention.kind is MentionKind.PLAIN and mention.number in message.closes:
            yield mention
