"""Score to tier, and what presence at the pin makes of a tier.

Pure.
"""

from __future__ import annotations

from msgspec import Struct

from watcher.facts.item import Tier
from watcher.facts.presence import Presence, Verdict
from watcher.matching.usage_weights import UsageWeights


class Gate(Struct, frozen=True):
    """Where an item stands once its presence at the pin is known."""

    tier: Tier
    collapsed: str | None
    """Reason under which it is counted below the list, or None when it is shown."""
    sentence: str = ""
    """Why, for people; empty when presence changes nothing."""


def tier_of(score: float, weights: UsageWeights, *, at_most: Tier = Tier.LIKELY) -> Tier:
    """The tier of a score, and no better than ``at_most``."""
    if score < weights.possible:
        return Tier.UNLIKELY
    by_score = Tier.LIKELY if score >= weights.likely else Tier.POSSIBLE
    return max(by_score, at_most, key=lambda tier: tier.rank)


def gate(tier: Tier, verdict: Verdict) -> Gate:
    """What presence makes of a tier.

    Contained comes before withdrawn; a contained fix that was withdrawn later is shown, because the
    pin has a mend that upstream took back. Absent is collapsed with its reason, never hidden; it is
    wrong in a sixth of cases, so it takes one tier away and not all.
    """
    match verdict.presence:
        case Presence.CONTAINED if verdict.withdrawn_by is not None:
            return Gate(tier, None, "your pin has it, and upstream took it back later")
        case Presence.CONTAINED:
            return Gate(Tier.UNLIKELY, "contained", "your pin has it")
        case Presence.WITHDRAWN:
            return Gate(Tier.UNLIKELY, "withdrawn", "upstream took it back")
        case Presence.ABSENT:
            return Gate(_one_lower(tier), "absent", verdict.detail)
        case Presence.PRESENT | Presence.PARTLY | Presence.UNKNOWN:
            collapsed = "unlikely" if tier is Tier.UNLIKELY else None
            return Gate(tier, collapsed)


def _one_lower(tier: Tier) -> Tier:
    return Tier.POSSIBLE if tier is Tier.LIKELY else Tier.UNLIKELY
