"""Fits the ranker's weights on recorded incidents, cross-validated by incident.

    python -m tests.tuning.fit_rank CASES.jsonl --config watcher.toml [--modes full words …]

The configuration names synced upstreams, read from before the first pin of a case on. Prints the
mean reciprocal rank of the shipped weights, of weights that never saw the incident, and the fitted
weights beside the shipped ones; nothing is written.

Model: conditional logit over the candidates of a search (which of them is the mend?). The penalty
pulls towards the shipped weights, so that few incidents move little; signs are kept.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from watcher.app import App, open_app
from watcher.matching.bm25 import Corpus
from watcher.matching.document import document
from watcher.matching.evaluate import Case, is_expected, parse_cases, symptom_of
from watcher.matching.features import change_candidate, measure, prepare
from watcher.pipeline.case_pins import CasePins, pins_by_upstream
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.search import Searched, Window, search
from watcher.symptom.frames import PathIndex

MODES = ("full", "words", "log", "zh", "vague")
PULL = 1.0
STEPS = 120
RATE = 0.05


@dataclass(frozen=True)
class Trial:
    """One case in one mode: the features of its candidates, and which of them mend it."""

    case: str
    mode: str
    rows: list[Mapping[str, float]]
    fixed: list[float]
    """What is not fitted: the prior of the change's kind."""
    true: frozenset[int]


def main() -> int:
    """Fit, cross-validate, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--modes", nargs="+", default=MODES)
    parser.add_argument("--folds", type=int, default=5)
    asked = parser.parse_args()
    app = open_app(asked.config)
    cases = parse_cases(asked.cases.read_text(encoding="utf-8"), where=str(asked.cases))
    trials = list(trials_of(app, cases, asked.modes))
    shipped = dict(app.weights.rank.features)
    print("shipped      ", told(trials, [rank_in(one, shipped) for one in trials]))
    print(f"{asked.folds}-fold       ", told(trials, cross_validated(trials, shipped, asked.folds)))
    for name, weight in fit(trials, shipped).items():
        print(f"{name:18} {weight:7.3f}   shipped {shipped[name]:7.3f}")
    return 0


def trials_of(app: App, cases: Sequence[Case], modes: Sequence[str]) -> Iterator[Trial]:
    """The trials of all cases; a case outside what is synced raises RangeError."""
    pins = {
        one.upstream: (app.pins_of(one.upstream)[0], app.followed(one.upstream)) for one in cases
    }
    finder = CasePins(app.store, pins_by_upstream(pins))
    for case in cases:
        pinned, pin, horizon = finder.find(case.id, case.upstream, case.pin, case.as_of)
        tree = PathIndex(pinned.followed.mirror.files(pin.sha))
        window = Window(after=pin.position, until=horizon.position, tree=tree)
        for mode in modes:
            symptom = symptom_of(case, mode)
            if symptom is None:
                continue
            found = search(pinned.followed, symptom, window, app.search_tools)
            links = app.store.links(pin.upstream, list(found.changes))
            state = PinState(app.store, pin, horizon, {}, links)
            yield trial_of(app, case, mode, found, state)


def trial_of(app: App, case: Case, mode: str, found: Searched, state: PinState) -> Trial:
    """The features of the candidates of one search."""
    index = app.followed(case.upstream).index
    statistics = index.statistics()
    terms = {term for bag in found.query.parts.values() for term in bag}
    corpus = Corpus(
        count=statistics.count,
        frequencies=index.frequencies(terms),
        average_lengths=statistics.average_lengths,
    )
    changes = list(found.changes.values())
    documents = index.documents([one.sha for one in changes])
    verdicts = state.verdicts(changes)
    candidates = [
        change_candidate(one, documents.get(one.sha) or document(one), verdicts[one.sha])
        for one in changes
    ]
    prepared = prepare(found.query, corpus, app.weights.rank, candidates)
    return Trial(
        case=case.id,
        mode=mode,
        rows=[measure(one, prepared).values for one in candidates],
        fixed=[app.weights.rank.kinds.get(one.kind, 0.0) for one in candidates],
        true=frozenset(at for at, one in enumerate(changes) if is_expected(case, one)),
    )


def fit(trials: Sequence[Trial], shipped: Mapping[str, float]) -> dict[str, float]:
    """Weights by projected gradient descent from the shipped ones, each step scaled by its size."""
    weights = dict(shipped)
    useful = [one for one in trials if one.true]
    for done in range(STEPS):
        slopes = {name: 2 * PULL * (weights[name] - shipped[name]) for name in weights}
        for trial in useful:
            add_slopes(trial, weights, slopes)
        for name, slope in slopes.items():
            size = RATE * (1 - done / STEPS) * max(0.1, abs(shipped[name]))
            step = size / math.sqrt(1 + slope * slope)
            moved = weights[name] - step * slope
            weights[name] = moved if moved * shipped[name] >= 0 else 0.0
    return weights


def add_slopes(trial: Trial, weights: Mapping[str, float], slopes: dict[str, float]) -> None:
    """Add the gradient of one trial's negative log-likelihood."""
    totals = totals_of(trial, weights)
    top = max(totals)
    shares = [math.exp(one - top) for one in totals]
    everything, mends = sum(shares), sum(shares[at] for at in trial.true)
    for at, row in enumerate(trial.rows):
        pull = shares[at] / everything - (shares[at] / mends if at in trial.true else 0.0)
        if abs(pull) > 1e-6:
            for name, value in row.items():
                if name in slopes:
                    slopes[name] += pull * value


def totals_of(trial: Trial, weights: Mapping[str, float]) -> list[float]:
    """The total of each candidate."""
    return [
        fixed + sum(weights.get(name, 0.0) * value for name, value in row.items())
        for row, fixed in zip(trial.rows, trial.fixed, strict=True)
    ]


def rank_in(trial: Trial, weights: Mapping[str, float]) -> int | None:
    """Place of the best mend, or None when none was a candidate."""
    totals = totals_of(trial, weights)
    best = max((totals[at] for at in trial.true), default=None)
    return None if best is None else 1 + sum(one > best for one in totals)


def cross_validated(
    trials: Sequence[Trial], shipped: Mapping[str, float], folds: int
) -> list[int | None]:
    """Rank of every trial under weights that were fitted without its incident."""
    names = sorted({one.case for one in trials})
    fold_of = {name: at % folds for at, name in enumerate(names)}
    fitted = [
        fit([one for one in trials if fold_of[one.case] != fold], shipped) for fold in range(folds)
    ]
    return [rank_in(one, fitted[fold_of[one.case]]) for one in trials]


def told(trials: Sequence[Trial], ranks: Sequence[int | None]) -> str:
    """Mean reciprocal rank by mode, in one line."""
    parts = []
    for mode in dict.fromkeys(one.mode for one in trials):
        some = [rank for one, rank in zip(trials, ranks, strict=True) if one.mode == mode]
        mean = sum(1 / rank for rank in some if rank) / len(some)
        parts.append(f"{mode} {mean:.3f} (n={len(some)})")
    return "  ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
