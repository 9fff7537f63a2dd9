"""Candidates and a query -> a ranked list, each place with its reasons.

Pure. The score is linear: each feature times its weight is one piece of evidence, and nothing else
counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from watcher.facts.item import Evidence
from watcher.matching.bm25 import Corpus
from watcher.matching.explain import explain
from watcher.matching.features import Candidate, Measures, Prepared, measure, prepare
from watcher.matching.query import Query
from watcher.matching.weights import RankWeights


class Ranked(Struct, frozen=True, kw_only=True):
    """One candidate in its place."""

    key: str
    total: float
    """Sum of the weights of all evidence: the order."""
    score: float
    """Logistic of the constant and the total, 0..1: an order, not a probability."""
    evidence: tuple[Evidence, ...] = ()
    rests_on_one_word: bool = False
    """True when it shares one word of several with the symptom, and no file of its traceback."""


def rank(
    query: Query, candidates: Sequence[Candidate], corpus: Corpus, weights: RankWeights
) -> list[Ranked]:
    """All candidates, best first; equal totals keep the later change first."""
    prepared = prepare(query, corpus, weights, candidates)
    ranked = [_ranked(one, measure(one, prepared), prepared) for one in candidates]
    places = {one.key: one.document.position for one in candidates}
    return sorted(ranked, key=lambda one: (-one.total, -places[one.key], one.key))


def logistic(value: float) -> float:
    """The logistic function, safe for any size."""
    if value >= 0:
        return 1 / (1 + math.exp(-min(value, 700.0)))
    growth = math.exp(max(value, -700.0))
    return growth / (1 + growth)


def contributions(
    candidate: Candidate, values: Mapping[str, float], weights: RankWeights
) -> dict[str, float]:
    """Each feature times its weight; the kind of the change as one more."""
    shares = {
        name: weights.features[name] * value
        for name, value in values.items()
        if name in weights.features
    }
    shares["kind"] = weights.kinds.get(candidate.kind, 0.0)
    return {name: share for name, share in shares.items() if share}


def _ranked(candidate: Candidate, measures: Measures, prepared: Prepared) -> Ranked:
    shares = contributions(candidate, measures.values, prepared.weights)
    total = sum(shares.values())
    return Ranked(
        key=candidate.key,
        total=total,
        score=logistic(prepared.weights.constant + total),
        evidence=explain(candidate, measures, shares, prepared),
        rests_on_one_word=_rests_on_one_word(measures, prepared.query),
    )


def _rests_on_one_word(measures: Measures, query: Query) -> bool:
    # The parts of one compound are one word: they are found together or not at all.
    shared = {query.spelling.get(token, token) for token in measures.terms}
    is_asked_more = len(set(query.spelling.values())) > 1
    return len(shared) <= 1 and is_asked_more and not measures.files
