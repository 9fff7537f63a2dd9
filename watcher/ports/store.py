"""Where facts, findings, decisions and deliveries are kept. A declaration, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NewType, Protocol

from watcher.ports.change_filter import ALL_PARTS, EVERY_CHANGE

if TYPE_CHECKING:
    from watcher.facts.change import Change
    from watcher.facts.issue import Issue, PullRequestWords
    from watcher.facts.links import Links
    from watcher.ports.change_filter import ChangeFilter, Part
    from watcher.ports.decision import Decision, Sighting
    from watcher.ports.delivery import Delivery
    from watcher.ports.json import Json
    from watcher.ports.walk import Walk


PackedChange = NewType("PackedChange", bytes)
"""A change in the form in which a store sets it aside."""


class Store(Protocol):
    """Facts, findings, decisions, deliveries. Every ``save`` is one transaction. Raises
    StoreError.
    """

    def walk(self, upstream: str) -> Walk | None:
        """The last completed walk, or None."""
        ...

    @property
    def pack(self) -> Callable[[Change], PackedChange]:
        """Pure, and can be handed to another process."""
        ...

    def save_walk(
        self,
        walk: Walk,
        changes: Iterable[Change | PackedChange],
        links: Callable[[], Iterable[Links]],
        *,
        restart: bool,
    ) -> int:
        """Stream new changes into the store, then links, then the walk itself: all or nothing.

        A change that is there already is replaced, and so are the links of the changes that
        ``links`` gives; it is called after the changes are consumed, before anything is written.
        ``restart`` removes the upstream's earlier changes and links. Returns how many changes were
        saved.
        """
        ...

    def changes(self, upstream: str, which: ChangeFilter = EVERY_CHANGE) -> list[Change]:
        """Changes in order of position."""
        ...

    def messages(self, upstream: str) -> list[Change]:
        """All changes with messages and files' paths but no identifiers, strings or origins: for
        linking.
        """
        ...

    def links(self, upstream: str, shas: Sequence[str] | None = None) -> dict[str, Links]:
        """Links by sha."""
        ...

    def find_changes(self, upstream: str, number: int) -> list[str]:
        """Shas of the changes with a number, landed order."""
        ...

    def save_issues(self, issues: Iterable[Issue]) -> None:
        """Upsert by (upstream, number)."""
        ...

    def issues(
        self,
        upstream: str,
        numbers: Sequence[int] | None = None,
        parts: frozenset[Part] = ALL_PARTS,
    ) -> list[Issue]:
        """Issues, newest activity first; without ``Part.RAW_BODY`` their raw bodies stay empty."""
        ...

    def save_words(self, words: Iterable[PullRequestWords]) -> None:
        """Upsert GitHub's words on pull requests."""
        ...

    def words(
        self, upstream: str, numbers: Sequence[int] | None = None
    ) -> dict[int, PullRequestWords]:
        """GitHub's words by number."""
        ...

    def cursor(self, name: str) -> str | None:
        """A stored cursor (issue page, ETag) by name."""
        ...

    def save_cursor(self, name: str, value: str | None) -> None:
        """Store or remove a cursor."""
        ...

    def document(self, kind: str, key: str) -> Json:
        """A small JSON document (findings of a pin, a digest, a reader's last visit), or None."""
        ...

    def save_document(self, kind: str, key: str, value: Json) -> None:
        """Store or remove a small JSON document."""
        ...

    def add_delivery(self, delivery: Delivery) -> bool:
        """Put a message into the outbox; False, and nothing done, when its key is there already."""
        ...

    def claim_delivery(self, now: datetime, lease: timedelta) -> Delivery | None:
        """Take the oldest delivery that is due, for one worker alone, or None.

        It comes back as ``sending`` with one attempt more. A worker that does not finish it within
        ``lease`` is taken for dead: the delivery may then be claimed again.
        """
        ...

    def finish_delivery(self, delivery: Delivery) -> bool:
        """Record the outcome of a claimed delivery: its state, error and ``next_try_at``.

        False, and nothing recorded, when another worker has claimed it since.
        """
        ...

    def deliveries(self, channel: str | None = None, limit: int = 100) -> list[Delivery]:
        """The outbox, newest first."""
        ...

    def save_decision(self, decision: Decision) -> None:
        """Add a decision; earlier ones stay as history."""
        ...

    def decisions(self, pin: str | None = None) -> list[Decision]:
        """All decisions in the order in which they were made."""
        ...

    def save_findings(
        self, pin: str, fingerprint: str, items: Iterable[tuple[str, Json]], at: datetime
    ) -> None:
        """Replace the findings of a pin: (item name, JSON of the item) in order.

        ``fingerprint`` names what they were computed from. ``at`` becomes the first sighting of
        items that were never there before.
        """
        ...

    def findings(self, pin: str) -> tuple[str, list[Json]] | None:
        """(fingerprint, items in the order saved) of a pin, or None when never saved."""
        ...

    def sightings(self, pin: str) -> dict[str, Sighting]:
        """Every item ever found for a pin, by name."""
        ...

    def mark_seen(self, pin: str, items: Iterable[str]) -> None:
        """Note that these items were told to somebody."""
        ...
