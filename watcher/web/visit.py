"""When a reader was here before, kept in the reader's own cookie: text and now -> visit. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

VISIT_COOKIE: Final = "watcher_visit"
SAME_VISIT: Final = timedelta(minutes=30)
"""Looks that are closer together than this are one visit."""


class Visit(Struct, frozen=True):
    """The visit before this one, and what the cookie has to say from now on."""

    before: datetime | None
    """None on a first visit."""
    cookie: str


def read_visit(cookie: str, now: datetime) -> Visit:
    """The last visit by a cookie of two times, the end of the visit before and the last look."""
    before, last = (_moment(part, now) for part in (*cookie.split(".")[:2], "", "")[:2])
    if last is not None and now - last > SAME_VISIT:
        before = last
    ended = "" if before is None else str(int(before.timestamp()))
    return Visit(before, f"{ended}.{int(now.timestamp())}")


def _moment(text: str, now: datetime) -> datetime | None:
    if not (text.isascii() and text.isdigit() and len(text) <= 11):
        return None
    moment = datetime.fromtimestamp(int(text), UTC)
    return moment if moment <= now else None
