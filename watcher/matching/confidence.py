"""Is the first place of a ranking an answer, or only the nearest of nothing?

Pure. The statistic is how far the first stands above the next ten; the thresholds are data,
calibrated so that most symptoms that no change mends are told as "nothing certain".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from watcher.facts.symptom import Symptom
from watcher.matching.rank import Ranked
from watcher.matching.weights import RankWeights

_NEXT: Final = 10


def confidence(ranked: Sequence[Ranked]) -> float:
    """Total of the first minus the mean of the next ten, in logits; 0 for an empty ranking."""
    if not ranked:
        return 0.0
    following = [one.total for one in ranked[1 : _NEXT + 1]]
    return ranked[0].total - (sum(following) / len(following) if following else 0.0)


def threshold(symptom: Symptom, weights: RankWeights) -> float:
    """The least confidence that counts as an answer, by what the symptom holds."""
    has_log = bool(symptom.errors or symptom.followers or symptom.frames or symptom.lines)
    if symptom.text and has_log:
        return weights.certain["both"]
    return weights.certain["log" if has_log else "text"]


def is_certain(ranked: Sequence[Ranked], symptom: Symptom, weights: RankWeights) -> bool:
    """True when the first place is likely an answer; ``no_match`` is its negation.

    One shared word of a long symptom is chance, however far it lifts a change above the others.
    """
    if not ranked or ranked[0].rests_on_one_word:
        return False
    return confidence(ranked) >= threshold(symptom, weights)
