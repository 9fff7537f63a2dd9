"""The changes of the tracked line, as far as a verdict names them: position, number, date.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from watcher.facts.change import Change


class Landed(Struct, frozen=True):
    """A change by its place on the tracked line."""

    sha: str
    number: int | None
    committed_at: datetime
    position: int | None

    @property
    def name(self) -> str:
        """``#N``, or the short sha of a commit without a pull request."""
        return f"#{self.number}" if self.number is not None else self.sha[:9]


class LandedLine:
    """Look-up of landed changes by sha and by position."""

    def __init__(self, landed: Iterable[Landed]) -> None:
        self._by_sha: dict[str, Landed] = {}
        self._by_position: dict[int, Landed] = {}
        for one in landed:
            self.add(one)

    def add(self, one: Landed) -> None:
        """Take one more change in."""
        self._by_sha[one.sha] = one
        if one.position is not None:
            self._by_position[one.position] = one

    def by_sha(self, sha: str) -> Landed | None:
        """The change with a full sha, or None when it is outside the range."""
        return self._by_sha.get(sha)

    def at(self, position: int) -> Landed | None:
        """The change at a position, or None when it is older than the range."""
        return self._by_position.get(position)


def landed(change: Change) -> Landed:
    """A change by its place."""
    return Landed(change.sha, change.number, change.message.committed_at, change.position)


def landed_line(changes: Iterable[Change]) -> LandedLine:
    """The line of some changes."""
    return LandedLine(map(landed, changes))
