"""``ports.Store`` on any SQLAlchemy database: one transaction a method, errors in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, Engine

from watcher.facts.change import Change
from watcher.facts.issue import Issue, PullRequestWords
from watcher.facts.links import Links
from watcher.ports.change_filter import ALL_PARTS, LIGHT_PARTS, ChangeFilter, Part
from watcher.ports.decision import Decision, Sighting
from watcher.ports.delivery import Delivery
from watcher.ports.json import Json
from watcher.ports.store import PackedChange
from watcher.ports.walk import Walk
from watcher.store import changes as change_rows
from watcher.store import judgements, outbox, texts
from watcher.store.engine import mapped, reading, writing
from watcher.store.mapping import links_row
from watcher.store.packing import packed, packed_change
from watcher.store.spool import Spool

_EVERYTHING = ChangeFilter()
_FOR_LINKING = ChangeFilter(off_line=None, parts=LIGHT_PARTS)


class SqlStore:
    """The store on one database. Safe to share between threads.

    What is to be saved is read to its end before the write lock is taken: whoever makes it may
    take his time, or use this store.
    """

    pack: Final = staticmethod(packed_change)

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def close(self) -> None:
        """Close all connections; the store may be used again afterwards."""
        self.engine.dispose()

    # --- history ---

    def walk(self, upstream: str) -> Walk | None:
        """The last completed walk, or None."""
        with self._reading() as connection:
            return change_rows.read_walk(connection, upstream)

    def save_walk(
        self,
        walk: Walk,
        changes: Iterable[Change | PackedChange],
        links: Callable[[], Iterable[Links]],
        *,
        restart: bool,
    ) -> int:
        """Stream new changes, then links, then the walk: all or nothing."""
        upstream = walk.upstream
        with (
            mapped(self.engine),
            Spool(map(_packed, changes)) as new_changes,
            Spool(packed(links_row(upstream, one)) for one in links()) as new_links,
            self._writing(f"walk {upstream}") as connection,
        ):
            if restart:
                change_rows.forget_changes(connection, upstream)
            count = change_rows.write_changes(connection, upstream, new_changes)
            change_rows.write_links(connection, upstream, new_links)
            change_rows.write_walk(connection, walk)
        return count

    def changes(self, upstream: str, which: ChangeFilter = _EVERYTHING) -> list[Change]:
        """Changes in order of position."""
        with self._reading() as connection:
            return change_rows.read_changes(connection, upstream, which)

    def messages(self, upstream: str) -> list[Change]:
        """All changes, light: messages and touched files alone."""
        return self.changes(upstream, _FOR_LINKING)

    def links(self, upstream: str, shas: Sequence[str] | None = None) -> dict[str, Links]:
        """Links by sha."""
        with self._reading() as connection:
            return change_rows.read_links(connection, upstream, shas)

    def find_changes(self, upstream: str, number: int) -> list[str]:
        """Shas of the changes with a number, landed order."""
        with self._reading() as connection:
            return change_rows.find_shas(connection, upstream, number)

    # --- GitHub's words, and what was read how far ---

    def save_issues(self, issues: Iterable[Issue]) -> None:
        """Upsert by (upstream, number)."""
        told = list(issues)
        with self._writing() as connection:
            texts.write_issues(connection, told)

    def issues(
        self,
        upstream: str,
        numbers: Sequence[int] | None = None,
        parts: frozenset[Part] = ALL_PARTS,
    ) -> list[Issue]:
        """Issues, newest activity first."""
        with self._reading() as connection:
            return texts.read_issues(connection, upstream, numbers, parts)

    def save_words(self, words: Iterable[PullRequestWords]) -> None:
        """Upsert GitHub's words on pull requests."""
        told = list(words)
        with self._writing() as connection:
            texts.write_words(connection, told)

    def words(
        self, upstream: str, numbers: Sequence[int] | None = None
    ) -> dict[int, PullRequestWords]:
        """GitHub's words by number."""
        with self._reading() as connection:
            return texts.read_words(connection, upstream, numbers)

    def cursor(self, name: str) -> str | None:
        """A stored cursor by name."""
        with self._reading() as connection:
            return texts.read_cursor(connection, name)

    def save_cursor(self, name: str, value: str | None) -> None:
        """Store or remove a cursor."""
        with self._writing() as connection:
            texts.write_cursor(connection, name, value)

    def document(self, kind: str, key: str) -> Json:
        """A small JSON document, or None."""
        with self._reading() as connection:
            return texts.read_document(connection, kind, key)

    def save_document(self, kind: str, key: str, value: Json) -> None:
        """Store or remove a small JSON document."""
        with self._writing() as connection:
            texts.write_document(connection, kind, key, value)

    # --- deliveries ---

    def add_delivery(self, delivery: Delivery) -> bool:
        """Add a message to the outbox unless its key is there."""
        with self._writing() as connection:
            return outbox.add_delivery(connection, delivery)

    def claim_delivery(self, now: datetime, lease: timedelta) -> Delivery | None:
        """Lease the oldest delivery that is due, or None."""
        with self._writing() as connection:
            return outbox.claim_delivery(connection, now, lease)

    def finish_delivery(self, delivery: Delivery) -> bool:
        """Record the outcome of a claimed delivery."""
        with self._writing() as connection:
            return outbox.finish_delivery(connection, delivery)

    def deliveries(self, channel: str | None = None, limit: int = 100) -> list[Delivery]:
        """The outbox, newest first."""
        with self._reading() as connection:
            return outbox.read_deliveries(connection, channel, limit)

    # --- findings and decisions ---

    def save_decision(self, decision: Decision) -> None:
        """Add a decision to the history."""
        with self._writing() as connection:
            judgements.write_decision(connection, decision)

    def decisions(self, pin: str | None = None) -> list[Decision]:
        """All decisions, oldest first."""
        with self._reading() as connection:
            return judgements.read_decisions(connection, pin)

    def save_findings(
        self, pin: str, fingerprint: str, items: Iterable[tuple[str, Json]], at: datetime
    ) -> None:
        """Replace the findings of a pin."""
        found = list(items)
        with self._writing() as connection:
            judgements.write_findings(connection, pin, fingerprint, found, at)

    def findings(self, pin: str) -> tuple[str, list[Json]] | None:
        """(fingerprint, items) of a pin, or None."""
        with self._reading() as connection:
            return judgements.read_findings(connection, pin)

    def sightings(self, pin: str) -> dict[str, Sighting]:
        """Every item ever found for a pin."""
        with self._reading() as connection:
            return judgements.read_sightings(connection, pin)

    def mark_seen(self, pin: str, items: Iterable[str]) -> None:
        """Note that items were told to somebody."""
        told = list(items)
        with self._writing() as connection:
            judgements.mark_seen(connection, pin, told)

    # --- transactions ---

    def _reading(self) -> AbstractContextManager[Connection]:
        return reading(self.engine)

    def _writing(self, purpose: str = "write") -> AbstractContextManager[Connection]:
        return writing(self.engine, purpose)


def _packed(change: Change | PackedChange) -> bytes:
    return packed_change(change) if isinstance(change, Change) else change
