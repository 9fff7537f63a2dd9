"""Counts over time -> the geometry of a small step chart. Pure; templates draw it as SVG.

The picture is drawn from a box of 100 by 40 units that stretches; all words stand outside of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Final

from msgspec import Struct

from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.pipeline.board import Row

WIDTH: Final = 100.0
HEIGHT: Final = 40.0
_STEPS: Final = 80
"""Points in time that are drawn at most."""


class Series(Struct, frozen=True):
    """One rising line with the ground under it."""

    name: str
    total: int
    line: str
    """SVG path data."""
    area: str


class Chart(Struct, frozen=True):
    """Missing fixes of one pin, from its own time until the head's."""

    start: date
    end: date
    series: tuple[Series, ...]
    months: tuple[tuple[str, int, int], ...]
    """(month, fixes, likely ones) that landed in it: the same as numbers."""


def missing_chart(
    rows: Iterable[Row], start: datetime | None, end: datetime | None
) -> Chart | None:
    """How the missing fixes of a pin grew; None when there is no time or nothing missing."""
    missing = [row for row in rows if is_missing_fix(row) and row.item.merged_at is not None]
    if start is None or end is None or not missing:
        return None
    landed = [(row.item.merged_at, row.item.tier is Tier.LIKELY) for row in missing]
    moments = sorted(at for at, _ in landed if at is not None)
    likely = sorted(at for at, is_likely in landed if at is not None and is_likely)
    first, last = min(start, moments[0]), max(end, moments[-1])
    top = len(moments)
    series = tuple(
        _series(name, some, first, last, top)
        for name, some in (("missing fixes", moments), ("likely", likely))
    )
    return Chart(first.date(), last.date(), series, _months(moments, likely))


def is_missing_fix(row: Row) -> bool:
    """True for a fix or revert that the pin lacks and that upstream stands by."""
    is_gone = row.found.collapsed in {"contained", "withdrawn"}
    return row.item.kind in {Kind.FIX, Kind.REVERT} and not is_gone


def _series(
    name: str, moments: Sequence[datetime], first: datetime, last: datetime, top: int
) -> Series:
    span = max((last - first).total_seconds(), 1.0)
    heights = [0] * (_STEPS + 1)
    for moment in moments:
        place = int((moment - first).total_seconds() / span * _STEPS)
        heights[min(max(place, 0), _STEPS)] += 1
    parts, count = [f"M0 {HEIGHT:g}"], 0
    for step, more in enumerate(heights):
        if more:
            across = step / _STEPS * WIDTH
            parts.append(f"H{across:.2f}")
            count += more
            parts.append(f"V{HEIGHT - count / top * (HEIGHT - 2):.2f}")
    line = "".join((*parts, f"H{WIDTH:g}"))
    return Series(name, len(moments), line, f"{line}V{HEIGHT:g}Z")


def _months(
    moments: Sequence[datetime], likely: Sequence[datetime]
) -> tuple[tuple[str, int, int], ...]:
    counts: dict[str, list[int]] = {}
    for place, some in enumerate((moments, likely)):
        for moment in some:
            counts.setdefault(f"{moment:%Y-%m}", [0, 0])[place] += 1
    return tuple((month, fixes, most) for month, (fixes, most) in sorted(counts.items()))
