"""Fits the weights of the matching rules on recorded configurations, cross-validated by case.

    python -m tests.tuning.fit_usage CASES.jsonl --config watcher.toml [--mine 60] [--folds 5]

The configuration names synced upstreams, read from before the first pin of a case on. ``--mine``
adds weak cases: landed mends whose own description quotes settings; the settings become the usage
and the description is hidden. Prints the recall of weights that never saw the case, of the shipped
weights, and the fitted weights; nothing is written.

Model: conditional logit over the changes of a window (which of them is the mend?), ridge penalty,
signals that speak for or against kept at their sign.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from watcher.adapters.hydra_compose import compose
from watcher.app import App, open_app
from watcher.facts.change import Change
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.usage import Source
from watcher.matching.affected import AffectedScorer, judge, signal_sums
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document
from watcher.matching.evaluate_usage import UsageCase, parse_usage_cases
from watcher.matching.rules.context import Surroundings, build_context
from watcher.pipeline.upstream_ways import WaysReader
from watcher.ports.change_filter import ChangeFilter
from watcher.usage.given import Reading, parse_override
from watcher.usage.read import join_usage

QUOTED = re.compile(r"(?:^|[\s'\"\[,(`])(\+{0,2}[a-z_]\w*(?:\.\w+)+=[^\s'\"\\,\])`]+)")
FOR = {
    "settings", "settings_title", "config_key", "guard_holds", "condition_met", "reached",
    "facet_on", "symbol", "module_used", "keyword", "path", "scale", "closes_issue",
}  # fmt: skip
AGAINST = {
    "guard_fails", "condition_failed", "other_value", "facet_excluded", "facet_off", "unreached",
    "no_code", "quiet_kind", "scale_excluded",
}  # fmt: skip
WINDOW = 450
"""Changes in the window of a mined case."""


@dataclass(frozen=True)
class Row:
    """One change of a window."""

    signals: Mapping[str, float]
    limit: int
    """Rank of the best tier that its signals leave."""


@dataclass(frozen=True)
class Window:
    """One case: its changes as signals, and which of them is the mend."""

    case: str
    rows: list[Row]
    true: int
    weight: float


def main() -> int:
    """Fit, cross-validate, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--mine", type=int, default=0)
    parser.add_argument("--folds", type=int, default=5)
    asked = parser.parse_args()
    app = open_app(asked.config)
    cases = parse_usage_cases(asked.cases.read_text(encoding="utf-8"), where=str(asked.cases))
    windows = list(recorded_windows(app, cases))
    if asked.mine:
        windows += mined_windows(app, cases[0].upstream, asked.mine)
    held = cross_validated(windows, asked.folds)
    shipped = app.weights.usage.signals
    for name, ranks in (
        ("shipped", [rank_in(one, shipped) for one in windows]),
        (f"{asked.folds}-fold", held),
    ):
        print_recall(name, windows, ranks)
    print_likely(app, windows)
    for name, weight in sorted(fit(windows).items(), key=lambda pair: -abs(pair[1])):
        print(f"{name:18} {weight:6.2f}   shipped {shipped.get(name, 0.0):6.2f}")
    return 0


# --- windows ---


def recorded_windows(app: App, cases: Sequence[UsageCase]) -> Iterator[Window]:
    """The windows of recorded cases; what is not in the synced range is told and left out."""
    for case in cases:
        changes = between(app, case.upstream, case.pin, case.as_of)
        wanted = {one.removeprefix("#") for one in case.expected}
        true = next((at for at, one in enumerate(changes) if str(one.number) in wanted), None)
        if true is None:
            print(f"{case.id}: its change is not in the synced range", file=sys.stderr)
            continue
        rows = rows_of(app, case.upstream, case.pin, case.config, changes)
        yield Window(case.id, rows, true, weight=2.0)


def mined_windows(app: App, upstream: str, most: int) -> list[Window]:
    """Windows of mends whose descriptions quote settings, spread over the history."""
    history = app.store.changes(upstream)
    found = [
        (at, tuple(dict.fromkeys(QUOTED.findall(one.message.raw_body))))
        for at, one in enumerate(history)
        if at > WINDOW and one.message.kind is Kind.FIX
    ]
    found = [(at, config) for at, config in found if config]
    step = max(1, len(found) // most)
    windows = []
    for at, config in found[::step][:most]:
        start = at - WINDOW // 3
        changes = history[start : start + WINDOW]
        hidden = replace(history[at].message, body="", raw_body="", closes=())
        changes[at - start] = replace(history[at], message=hidden)
        rows = rows_of(app, upstream, history[start - 1].sha, config, changes)
        windows.append(Window(f"mined {history[at].number}", rows, at - start, weight=0.5))
    return windows


def between(app: App, upstream: str, pin: str, as_of: str | None) -> list[Change]:
    """Changes after a pin up to a position."""
    marks = {
        one.sha: one.position
        for one in app.store.changes(
            upstream, ChangeFilter(shas=tuple(sha for sha in (pin, as_of) if sha))
        )
    }
    if pin not in marks:
        return []
    until = marks.get(as_of) if as_of else None
    return app.store.changes(upstream, ChangeFilter(after=marks[pin], until=until))


def rows_of(
    app: App, upstream: str, pin: str, config: Sequence[str], changes: Sequence[Change]
) -> list[Row]:
    """The signals of every change for a configuration at a pin."""
    followed = app.followed(upstream)
    given = tuple(
        item
        for line, text in enumerate(config, start=1)
        if (item := parse_override(text, Source("config", line)))
    )
    ways = WaysReader(app.store, lambda: compose).read(followed, pin, given)
    usage = join_usage(Reading(settings=given), [followed.profile], baselines=[ways.baseline])
    documents = [document(change) for change in changes]
    around = Surroundings(
        corpus=corpus_of(documents),
        fields=app.weights.rank.fields,
        graph=ways.graph,
        program=ways.program,
        glosses=ways.baseline.glosses,
    )
    scorer = AffectedScorer(build_context(usage, followed.profile, around), app.weights.usage)
    rows = []
    for change, one in zip(changes, documents, strict=True):
        signals = list(scorer.signals(change, None, one))
        limit = max((signal.at_most for signal in signals), key=lambda tier: tier.rank)
        rows.append(Row(signal_sums(signals), limit.rank))
    return rows


# --- model ---


def fit(windows: Sequence[Window], *, ridge: float = 0.3, rounds: int = 150) -> dict[str, float]:
    """Weights by projected gradient with a step that shrinks when it went too far."""
    weights: dict[str, float] = {}
    step = 0.05
    best, gradient = objective(windows, weights, ridge)
    for _ in range(rounds):
        moved = {
            name: within_sign(name, weights.get(name, 0.0) - step * slope)
            for name, slope in gradient.items()
        }
        loss, slopes = objective(windows, moved, ridge)
        if loss < best:
            weights, best, gradient, step = moved, loss, slopes, step * 1.3
        else:
            step /= 2
        if step < 1e-5:
            break
    return weights


def within_sign(name: str, weight: float) -> float:
    """The weight, not across zero for signals that can only speak for or against."""
    if name in FOR:
        return max(0.0, weight)
    return min(0.0, weight) if name in AGAINST else weight


def objective(
    windows: Sequence[Window], weights: Mapping[str, float], ridge: float
) -> tuple[float, dict[str, float]]:
    """Penalised negative log-likelihood and its gradient."""
    loss = ridge * sum(weight * weight for weight in weights.values())
    gradient = {name: 2 * ridge * weight for name, weight in weights.items()}
    for window in windows:
        scores = [logit(row.signals, weights) for row in window.rows]
        top = max(scores)
        shares = [math.exp(score - top) for score in scores]
        total = sum(shares)
        loss -= window.weight * math.log(max(1e-12, shares[window.true] / total))
        for at, row in enumerate(window.rows):
            slope = window.weight * (shares[at] / total - (at == window.true))
            if abs(slope) > 1e-7:
                for name, value in row.signals.items():
                    gradient[name] = gradient.get(name, 0.0) + slope * value
    return loss, gradient


def logit(signals: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Sum of signals times weights."""
    return sum(weights.get(name, 0.0) * value for name, value in signals.items())


def cross_validated(windows: Sequence[Window], folds: int) -> list[int]:
    """Rank of every true change under weights that were fitted without its case."""
    ranks = [0] * len(windows)
    for fold in range(folds):
        weights = fit([one for at, one in enumerate(windows) if at % folds != fold])
        for at in range(fold, len(windows), folds):
            ranks[at] = rank_in(windows[at], weights)
    return ranks


def rank_in(window: Window, weights: Mapping[str, float]) -> int:
    """Place of the true change: what is excluded stands below the rest."""
    unlikely = Tier.UNLIKELY.rank
    keys = [(row.limit == unlikely, -logit(row.signals, weights)) for row in window.rows]
    return 1 + sum(key < keys[window.true] for key in keys)


# --- report ---


def print_recall(name: str, windows: Sequence[Window], ranks: Sequence[int]) -> None:
    """Recall of recorded and of mined cases."""
    sorts: list[tuple[str, Callable[[Window], bool]]] = [
        ("recorded", lambda one: not one.case.startswith("mined")),
        ("mined", lambda one: one.case.startswith("mined")),
    ]
    for sort, belongs in sorts:
        some = [rank for one, rank in zip(windows, ranks, strict=True) if belongs(one)]
        if some:
            shares = [sum(rank <= depth for rank in some) / len(some) for depth in (10, 20, 50)]
            told = "  ".join(
                f"@{depth} {share:.2f}" for depth, share in zip((10, 20, 50), shares, strict=True)
            )
            print(f"{name:8} {sort:9} n={len(some):3}  {told}")


def print_likely(app: App, windows: Sequence[Window]) -> None:
    """Mean share of a window that the shipped weights and thresholds call likely."""
    shares = []
    for window in windows:
        tiers = [tier_in(app, row) for row in window.rows]
        shares.append(sum(tier is Tier.LIKELY for tier in tiers) / len(tiers))
    print(f"called likely by the shipped weights: {sum(shares) / len(shares):.3f} of a window")


def tier_in(app: App, row: Row) -> Tier:
    """The tier that the shipped weights give a row."""
    weights = app.weights.usage
    score = 1 / (1 + math.exp(-(weights.constant + logit(row.signals, weights.signals))))
    by_score = judge("", [], replace(weights, constant=math.log(score / (1 - score)))).tier
    return max(by_score, list(Tier)[row.limit], key=lambda tier: tier.rank)


if __name__ == "__main__":
    sys.exit(main())
