"""Small phrases that every face shares: ages, dates, counts, what a presence means in few words.

Pure; the present moment is an argument.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from watcher.facts.item import Item
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence

PRESENCE_WORDS: Final[dict[Presence, str]] = {
    Presence.PRESENT: "your pin has the code it mends",
    Presence.PARTLY: "your pin has part of the code it mends",
    Presence.ABSENT: "the code it mends is newer than your pin",
    Presence.CONTAINED: "your pin already has it",
    Presence.WITHDRAWN: "taken back upstream",
    Presence.UNKNOWN: "not known",
}
"""What the presence says of the faulty code, in few words."""

_UNITS: Final = (
    (365 * 86400, "year"),
    (30 * 86400, "month"),
    (86400, "day"),
    (3600, "hour"),
    (60, "minute"),
)


def age(then: datetime | None, now: datetime) -> str:
    """Time passed in one unit: ``3 months``, ``2 hours``, ``just now``; ``never`` for None."""
    if then is None:
        return "never"
    seconds = max(0, int((now - then).total_seconds()))
    for size, unit in _UNITS:
        if seconds >= size:
            return count(seconds // size, unit)
    return "just now"


def ago(then: datetime | None, now: datetime) -> str:
    """``3 days ago``, ``just now``, ``never``."""
    passed = age(then, now)
    return passed if passed in {"just now", "never"} else f"{passed} ago"


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 fix``, ``2 fixes``, ``3 days``, ``4 tries``."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{number:,} {noun[:-1]}ies"
    plural = noun + ("es" if noun.endswith(("x", "s", "ch")) else "s")
    return f"{number:,} {plural}"


def size_phrase(size_bytes: int) -> str:
    """``7 kB`` or ``1.5 MB``: a size in the unit a reader can weigh."""
    kilobytes = max(size_bytes / 1_000, 1)
    return f"{kilobytes:,.0f} kB" if kilobytes < 1_000 else f"{kilobytes / 1_000:,.1f} MB"


def day(moment: datetime | None) -> str:
    """The date, ``2026-05-25``; a dash for None."""
    return "-" if moment is None else moment.strftime("%Y-%m-%d")


def short(sha: str | None) -> str:
    """The first nine digits of an object name; a dash for None."""
    return "-" if sha is None else sha[:9]


def renamed_phrase(upstream: str, present: str) -> str:
    """What to do about an upstream that its pin calls by an earlier name."""
    return f"{upstream} is now {present}: name that in watcher.toml"


def landed_phrase(item: Item) -> str:
    """When an item landed or was opened, and the first release that holds it."""
    if item.kind is Kind.ISSUE:
        opened = f"opened {day(item.opened_at)}"
        return f"{opened}, mended by {item.mended_by}" if item.mended_by else opened
    if item.merged_at is None:
        return ""
    release = f", first in {item.first_release}" if item.first_release else ", in no release yet"
    return f"landed {day(item.merged_at)}{release}"
