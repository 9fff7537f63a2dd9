"""The outbox: messages that wait, are being sent, were sent or were given up.

A claim is a lease: whoever claims a delivery owns it until ``lease_until``; its number of attempts
tells a late worker that somebody else has taken over.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, and_, insert, or_, select, update

from watcher.ports.delivery import Delivery
from watcher.store.mapping import delivery_of, delivery_row
from watcher.store.tables import DELIVERY


def add_delivery(connection: Connection, delivery: Delivery) -> bool:
    """Add a message; False when its key is there already."""
    known = select(DELIVERY.c.key).where(DELIVERY.c.key == delivery.key)
    if connection.scalar(known) is not None:
        return False
    connection.execute(insert(DELIVERY), delivery_row(delivery))
    return True


def claim_delivery(connection: Connection, now: datetime, lease: timedelta) -> Delivery | None:
    """Lease the oldest delivery that is due, or None."""
    oldest = select(DELIVERY).where(_is_due(now)).order_by(DELIVERY.c.created_at, DELIVERY.c.key)
    row: Any = connection.execute(oldest.limit(1)).first()
    if row is None:
        return None
    claimed = replace(delivery_of(row), state="sending", attempts=row.attempts + 1)
    connection.execute(
        update(DELIVERY)
        .where(DELIVERY.c.key == claimed.key)
        .values(state=claimed.state, attempts=claimed.attempts, lease_until=now + lease)
    )
    return claimed


def finish_delivery(connection: Connection, delivery: Delivery) -> bool:
    """Record an outcome; False when the delivery is no longer this worker's."""
    owned = and_(
        DELIVERY.c.key == delivery.key,
        DELIVERY.c.state == "sending",
        DELIVERY.c.attempts == delivery.attempts,
    )
    outcome = {"state": delivery.state, "error": delivery.error, "lease_until": None}
    done = connection.execute(
        update(DELIVERY).where(owned).values(next_try_at=delivery.next_try_at, **outcome)
    )
    return done.rowcount == 1


def read_deliveries(connection: Connection, channel: str | None, limit: int) -> list[Delivery]:
    """Deliveries, newest first."""
    query = select(DELIVERY).order_by(DELIVERY.c.created_at.desc(), DELIVERY.c.key).limit(limit)
    if channel is not None:
        query = query.where(DELIVERY.c.channel == channel)
    return [delivery_of(row) for row in connection.execute(query)]


def _is_due(now: datetime) -> ColumnElement[bool]:
    next_try = DELIVERY.c.next_try_at
    waits = and_(DELIVERY.c.state == "pending", or_(next_try.is_(None), next_try <= now))
    abandoned = and_(DELIVERY.c.state == "sending", DELIVERY.c.lease_until <= now)
    return or_(waits, abandoned)
