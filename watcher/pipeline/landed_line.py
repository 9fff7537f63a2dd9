"""The landed changes of an upstream as verdicts name them, looked up in the store one by one."""

from __future__ import annotations

from watcher.facts.change import Change
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.presence.landed import Landed, LandedLine, landed


class StoredLine(LandedLine):
    """A line that asks the store for what it does not hold yet."""

    def __init__(self, store: Store, upstream: str) -> None:
        super().__init__(())
        self._store = store
        self._upstream = upstream

    def by_sha(self, sha: str) -> Landed | None:
        """The change with a full sha, or None when it is outside the range."""
        known = super().by_sha(sha)
        if known is None:
            which = ChangeFilter(shas=(sha,), off_line=None, parts=frozenset())
            known = self._take(self._store.changes(self._upstream, which))
        return known

    def at(self, position: int) -> Landed | None:
        """The change at a position, or None when it is older than the range."""
        known = super().at(position)
        if known is None and position >= 0:
            which = ChangeFilter(after=position - 1, until=position, parts=frozenset())
            known = self._take(self._store.changes(self._upstream, which))
        return known

    def _take(self, changes: list[Change]) -> Landed | None:
        for change in changes:
            one = landed(change)
            self.add(one)
            return one
        return None
