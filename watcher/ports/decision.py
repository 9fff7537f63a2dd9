"""What somebody decided about an item, and since when it is known. Records, no I/O."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Decision(Struct, frozen=True, kw_only=True):
    """What somebody decided about an item of a pin; the latest one of a pin and item holds."""

    pin: str
    item: str
    """Item name, ``verl#6463``."""
    state: str
    """``acknowledged``, ``ignored`` or ``open`` (an earlier decision taken back)."""
    at: datetime
    reason: str = ""
    until: str | None = None
    """When the ground ends: an ISO date, ``released``, ``pin-moves``; None for good."""
    by: str | None = None
    """Who, if known."""


class Sighting(Struct, frozen=True):
    """Since when an item is known for a pin."""

    first_seen_at: datetime
    is_seen: bool
    """True once it was told to somebody."""
    is_current: bool
    """False when the last findings did not hold it any more."""
