"""One message in the outbox. A record, no I/O."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Delivery(Struct, frozen=True):
    """One send attempt's state in the outbox."""

    key: str
    """Channel and day: what makes it one message."""
    channel: str
    payload: str
    state: str
    """``pending``, ``sending``, ``sent``, ``given-up``; ``quiet`` for a day without news."""
    attempts: int
    next_try_at: datetime | None
    created_at: datetime
    error: str | None = None
