"""Recorded configurations -> how well the list, without any symptom, finds what would bite them.

Pure: cases come in as text, orders as tiers and names; nothing is read or run here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from watcher.errors import UsageError
from watcher.facts.change import Change
from watcher.facts.item import Tier
from watcher.matching.evaluate import (
    RecordedCase,
    is_expected,
    read_lines,
    readable_name,
    share_within,
)

DEPTHS: Final = (10, 20, 50)
MISS_AFTER: Final = 20


class UsageCase(RecordedCase, frozen=True, kw_only=True):
    """One recorded launch configuration and the change that would have bitten it."""

    config: tuple[str, ...]
    """``key=value`` settings as on a command line."""


class UsageOutcome(Struct, frozen=True, kw_only=True):
    """Where the expected change of one case came."""

    case: str
    expected: str
    rank: int | None
    """1 for the first place; None when it is not in the window."""
    tier: Tier | None
    likely: int
    """Changes of the window that are called likely."""
    window: int
    """Changes of the window in all."""
    first: str
    """What stands first, as a readable name."""


def parse_usage_cases(text: str, *, where: str = "cases") -> list[UsageCase]:
    """The cases of a JSON-lines text. Raises UsageError naming the line."""
    return read_lines(text, where, _case)


def outcome_of(case: UsageCase, ordered: Sequence[tuple[Change, Tier]]) -> UsageOutcome:
    """Where the expected change stands among all changes of a window, in the list's order."""
    found = next(
        (
            (rank, tier)
            for rank, (change, tier) in enumerate(ordered, start=1)
            if is_expected(case, change)
        ),
        None,
    )
    first = ordered[0][0] if ordered else None
    return UsageOutcome(
        case=case.id,
        expected=" ".join(case.expected),
        rank=found[0] if found else None,
        tier=found[1] if found else None,
        likely=sum(tier is Tier.LIKELY for _, tier in ordered),
        window=len(ordered),
        first=readable_name(first),
    )


def summarize_usage(outcomes: Sequence[UsageOutcome]) -> dict[str, object]:
    """``n``, ``recall`` by depth, the mean ``likely_share`` of a window, and the ``misses``."""
    ranks = [one.rank for one in outcomes]
    shares = [one.likely / one.window for one in outcomes if one.window]
    return {
        "n": len(outcomes),
        "recall": {str(depth): share_within(ranks, depth) for depth in DEPTHS},
        "likely_share": round(sum(shares) / len(shares), 4) if shares else None,
        "misses": [
            {
                "id": one.case,
                "rank": one.rank,
                "tier": None if one.tier is None else one.tier.value,
                "expected": one.expected,
                "first": one.first,
            }
            for one in outcomes
            if one.rank is None or one.rank > MISS_AFTER
        ],
    }


def _case(line: str, where: str) -> UsageCase:
    try:
        record = json.loads(line)
        as_of = record.get("as_of")
        return UsageCase(
            id=str(record["id"]),
            upstream=str(record["upstream"]),
            pin=str(record["pin"]),
            as_of=str(as_of) if as_of else None,
            config=tuple(str(one) for one in record["config"]),
            expected=tuple(str(one) for one in record["expected"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"not a case: {error!r}",
            where=where,
            mend="one JSON object a line with id, upstream, pin, as_of, config and expected",
        ) from error
