"""What was found for each pin, and what people decided about it, on an open connection."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, and_, delete, insert, select, update

from watcher.ports.decision import Decision, Sighting
from watcher.ports.json import Json
from watcher.store.batches import batches, conditions
from watcher.store.codec import dumps, loads
from watcher.store.mapping import decision_of, decision_row
from watcher.store.tables import DECISION, FINDING, FINDINGS


def write_decision(connection: Connection, decision: Decision) -> None:
    """Add a decision to the history."""
    connection.execute(insert(DECISION), decision_row(decision))


def read_decisions(connection: Connection, pin: str | None) -> list[Decision]:
    """Decisions in the order in which they were made."""
    query = select(DECISION).order_by(DECISION.c.id)
    if pin is not None:
        query = query.where(DECISION.c.pin == pin)
    return [decision_of(row) for row in connection.execute(query)]


def write_findings(
    connection: Connection,
    pin: str,
    fingerprint: str,
    items: Iterable[tuple[str, Json]],
    at: datetime,
) -> None:
    """Replace the findings of a pin; items known from before keep their first sighting."""
    known = read_sightings(connection, pin)
    gone = update(FINDING).where(FINDING.c.pin == pin, FINDING.c.place.is_not(None))
    connection.execute(gone.values(place=None, body=None))
    rows = {
        item: {
            "pin": pin,
            "item": item,
            "place": place,
            "first_seen_at": known[item].first_seen_at if item in known else at,
            "is_seen": item in known and known[item].is_seen,
            "body": dumps(body),
        }
        for place, (item, body) in enumerate(items)
    }
    for batch in batches(rows.values()):
        these = and_(FINDING.c.pin == pin, FINDING.c.item.in_([row["item"] for row in batch]))
        connection.execute(delete(FINDING).where(these))
        connection.execute(insert(FINDING), batch)
    connection.execute(delete(FINDINGS).where(FINDINGS.c.pin == pin))
    connection.execute(insert(FINDINGS), {"pin": pin, "fingerprint": fingerprint})


def read_findings(connection: Connection, pin: str) -> tuple[str, list[Json]] | None:
    """(fingerprint, items in order), or None when none were ever saved."""
    fingerprint = connection.scalar(select(FINDINGS.c.fingerprint).where(FINDINGS.c.pin == pin))
    if fingerprint is None:
        return None
    current = select(FINDING.c.body).where(FINDING.c.pin == pin, FINDING.c.place.is_not(None))
    bodies = connection.scalars(current.order_by(FINDING.c.place))
    return fingerprint, [loads(body) for body in bodies]


def read_sightings(connection: Connection, pin: str) -> dict[str, Sighting]:
    """Every item ever found for a pin, by name."""
    query = select(FINDING.c.item, FINDING.c.first_seen_at, FINDING.c.is_seen, FINDING.c.place)
    return {
        item: Sighting(first_seen_at, is_seen, place is not None)
        for item, first_seen_at, is_seen, place in connection.execute(
            query.where(FINDING.c.pin == pin)
        )
    }


def mark_seen(connection: Connection, pin: str, items: Iterable[str]) -> None:
    """Note that items were told to somebody."""
    for chosen in conditions(FINDING.c.item, list(items)):
        seen = update(FINDING).where(FINDING.c.pin == pin, *chosen)
        connection.execute(seen.values(is_seen=True))
