"""One change and one usage -> how likely the change bites this user, and why.

Pure. No symptom is asked for: this orders ``list`` and the digest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.document import Document
from watcher.facts.item import Evidence, Tier
from watcher.facts.links import Links
from watcher.matching.document import document as make_document
from watcher.matching.rules.conditions import condition_signals
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.facets import facet_signals
from watcher.matching.rules.glosses import gloss_signals, glosses_by_word
from watcher.matching.rules.guards import guard_signals
from watcher.matching.rules.models import model_signals, user_models
from watcher.matching.rules.named import named_signals
from watcher.matching.rules.reach import reach_signals
from watcher.matching.rules.scale import scale_signals
from watcher.matching.rules.settings import config_key_signals, setting_query, setting_signals
from watcher.matching.rules.severity import severity_signals
from watcher.matching.rules.signal import Signal
from watcher.matching.rules.standing import standing_signals
from watcher.matching.rules.symbols import symbol_signals
from watcher.matching.rules.versions import known_packages, version_signals
from watcher.matching.tiers import tier_of
from watcher.matching.usage_weights import UsageWeights

LEAST_SHOWN = 0.05
"""Evidence below this share of a logit is summed but not listed."""


class Affected(Struct, frozen=True, kw_only=True):
    """The judgement on one change."""

    sha: str
    score: float
    """logistic(constant + sum of the evidence weights); an order, not a probability."""
    logit: float
    tier: Tier
    evidence: tuple[Evidence, ...]
    """Strongest first; their weights and ``constant`` add up to the score."""
    constant: float
    limited_by: tuple[str, ...] = ()
    """Sentences that alone keep it from being likely; empty when nothing does."""


class AffectedScorer:
    """Judges changes for one usage; prepared once, asked for each change."""

    def __init__(self, context: UsageContext, weights: UsageWeights) -> None:
        self._context = context
        self._weights = weights
        self._query = setting_query(context)
        self._glosses = glosses_by_word(context)
        self._models = user_models(context)
        self._packages = known_packages(context.usage.packages)

    def score(
        self, change: Change, links: Links | None = None, document: Document | None = None
    ) -> Affected:
        """The judgement on a change. ``document`` spares making it again."""
        signals = list(self.signals(change, links, document))
        return judge(change.sha, signals, self._weights)

    def signals(
        self, change: Change, links: Links | None = None, document: Document | None = None
    ) -> Iterator[Signal]:
        """All that the rules find, unweighted (what the weights are fitted on)."""
        context = self._context
        yield from standing_signals(change, links)
        yield from facet_signals(change, context)
        yield from guard_signals(change, context)
        yield from config_key_signals(change, context)
        yield from setting_signals(document or make_document(change), self._query, context)
        yield from condition_signals(change, context)
        yield from gloss_signals(change, self._glosses, context)
        yield from model_signals(change, self._models)
        yield from reach_signals(change, context)
        yield from symbol_signals(change, context)
        yield from named_signals(change, context)
        yield from scale_signals(change, context)
        yield from version_signals(change, self._packages)
        yield from severity_signals(change)


def judge(sha: str, signals: Iterable[Signal], weights: UsageWeights) -> Affected:
    """Signals times weights to a score, a tier and evidence."""
    weighed = [(weights.signals.get(one.name, 0.0) * one.value, one) for one in signals]
    listed = [(share, one) for share, one in weighed if one.detail and abs(share) >= LEAST_SHOWN]
    rest = sum(share for share, one in weighed) - sum(share for share, _ in listed)
    logit = weights.constant + sum(share for share, _ in weighed)
    score = 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))
    limits = [one for _, one in weighed if one.at_most is not Tier.LIKELY]
    at_most = max((one.at_most for one in limits), key=lambda tier: tier.rank, default=Tier.LIKELY)
    return Affected(
        sha=sha,
        score=score,
        logit=logit,
        tier=tier_of(score, weights, at_most=at_most),
        evidence=tuple(
            Evidence(kind=one.kind, weight=round(share, 3), detail=one.detail)
            for share, one in sorted(listed, key=lambda pair: -abs(pair[0]))
        ),
        constant=round(weights.constant + rest, 3),
        limited_by=tuple(one.detail for one in limits),
    )


def signal_sums(signals: Iterable[Signal]) -> Mapping[str, float]:
    """Signals added up by name: one row of the matrix that weights are fitted on."""
    sums: dict[str, float] = {}
    for one in signals:
        sums[one.name] = sums.get(one.name, 0.0) + one.value
    return sums
