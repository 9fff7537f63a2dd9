"""Everything that the pins lack, judged and laid out for browsing: made once, read many times.

A ``Board`` holds no port. Selecting from it is ``pipeline.selection``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from msgspec import Struct

from watcher.facts.item import Item
from watcher.pipeline.assess import Assessor
from watcher.pipeline.finding import Finding
from watcher.pipeline.items import by_likeliness
from watcher.pipeline.pinned import Pinned, resolved
from watcher.report.answer import PinStatus
from watcher.report.escape import one_line


class Row(Struct, frozen=True):
    """One item of the board."""

    found: Finding
    text: str
    """What a search looks through, lower case."""
    first_seen_at: datetime | None = None
    ignored: str | None = None
    """Why somebody put it aside, or None."""

    @property
    def item(self) -> Item:
        """The item itself."""
        return self.found.item


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """All items of all pins, most likely first, with where the pins stand."""

    made_at: datetime
    statuses: tuple[PinStatus, ...]
    rows: tuple[Row, ...]
    remotes: Mapping[str, str]
    """Pin name -> address that git fetches from."""
    made_from: Mapping[str, str]
    """Pin name -> fingerprint of its findings."""
    fingerprint: str
    """Names everything that a reader sees, ages left out."""

    @cached_property
    def by_name(self) -> dict[str, Row]:
        """Rows by item name."""
        return {row.item.id: row for row in self.rows}

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], tuple[Row, ...]]:
        """Group of each row, and a sample of each group: alike in all that decides on collapsing.

        There are few groups, so that a list judges some dozens of samples instead of all rows.
        """
        numbers: dict[tuple[object, ...], int] = {}
        samples: list[Row] = []
        places: list[int] = []
        for row in self.rows:
            item = row.item
            alike = (
                item.kind.value,
                item.presence.value,
                item.tier and item.tier.value,
                row.found.collapsed,
                row.ignored is None,
            )
            place = numbers.setdefault(alike, len(samples))
            if place == len(samples):
                samples.append(row)
            places.append(place)
        return tuple(places), tuple(samples)

    @cached_property
    def facets(self) -> tuple[tuple[str, int], ...]:
        """Facets with the number of their items, most frequent first."""
        counts: dict[str, int] = {}
        for row in self.rows:
            for facet in row.item.facets:
                counts[facet] = counts.get(facet, 0) + 1
        return tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    def status(self, name: str) -> PinStatus | None:
        """Where a pin stands."""
        return next((one for one in self.statuses if one.name == name), None)


def compose_board(
    pins: Sequence[Pinned],
    statuses: Sequence[PinStatus],
    assessor: Assessor,
    *,
    more: Iterable[Finding] = (),
    ignored: Mapping[str, str],
    before: Board | None = None,
) -> Board:
    """The board as of now.

    Args:
        pins: All pins.
        statuses: Where they stand.
        assessor: Judges their changes.
        more: Advisories and issues.
        ignored: Item name -> why it was put aside.
        before: An earlier board, whose rows are taken over where nothing changed.
    """
    known = {} if before is None else before.by_name
    found: dict[str, Finding] = {}
    seen: dict[str, datetime] = {}
    made_from: dict[str, str] = {}
    for one, pin, horizon in resolved(pins):
        found |= {each.item.id: each for each in assessor.findings(one, pin, horizon)}
        made_from[one.name] = assessor.memory.fingerprint(one.name) or ""
        if before is None or before.made_from.get(one.name) != made_from[one.name]:
            sightings = assessor.store.sightings(one.name)
            seen |= {name: sighting.first_seen_at for name, sighting in sightings.items()}
    others = list(more)
    found |= {each.item.id: each for each in others}
    rows = [
        _row(found[item.id], known.get(item.id), seen.get(item.id), ignored.get(item.id))
        for item in by_likeliness(each.item for each in found.values())
    ]
    parts = (repr(statuses), repr(sorted(made_from.items())), repr(sorted(ignored.items())))
    return Board(
        made_at=assessor.now,
        statuses=tuple(statuses),
        rows=tuple(rows),
        remotes={one.name: one.setting.git for one in pins},
        made_from=made_from,
        fingerprint=_digest((*parts, *map(_told, others))),
    )


def _told(found: Finding) -> str:
    """What a reader sees of an item that has no kept findings."""
    item = found.item
    state = (item.state, item.mended_by, item.tier, item.score, found.collapsed)
    return repr((item.id, item.title, item.presence_detail, *state))


def _digest(parts: Iterable[str]) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part.encode("utf-8", "replace"))
    return hashed.hexdigest()[:32]


def _row(found: Finding, before: Row | None, seen_at: datetime | None, ignored: str | None) -> Row:
    if before is None:
        return Row(found, search_text(found.item), seen_at, ignored)
    seen_at = seen_at or before.first_seen_at
    if before.found is not found and before.found != found:
        return Row(found, search_text(found.item), seen_at, ignored)
    if (before.first_seen_at, before.ignored) == (seen_at, ignored):
        return before
    return Row(found, before.text, seen_at, ignored)


def search_text(item: Item) -> str:
    """What a search looks through: names, title, files, facets and reasons."""
    parts = (
        item.id,
        item.title,
        item.sha or "",
        item.presence_detail,
        item.first_release or "",
        *item.facets,
        *item.files,
        *item.family,
        *(one.detail for one in item.evidence),
    )
    return "\n".join(one_line(part, 400) for part in parts if part).lower()
