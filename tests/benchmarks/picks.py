"""How long trial picks take: every likely and possible item of a pin, nothing kept from before.

Run by hand on a project that has been synced:

    python -m tests.benchmarks.picks watcher.toml --at verl=v0.7.1 --count 100
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from watcher.app import App, open_app
from watcher.facts.change import Change
from watcher.facts.kind import Kind
from watcher.pipeline.picks import PickTrials
from watcher.pipeline.pinned import Moves, resolved
from watcher.ports.change_filter import ChangeFilter
from watcher.report.routes import PickOutcome


def main() -> None:
    """Print the time of picks alone and with prerequisites, and how they went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--at", action="append", default=[])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--prerequisites", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        app = _without_kept_picks(options.config, Path(scratch) / "store.db")
        moves = Moves.parse(options.at, [], app.pin_names)
        for one, pin, horizon in resolved(app.pinned(moves)):
            found = app.assessor([one]).findings(one, pin, horizon)
            mends = [each for each in found if each.item.kind in {Kind.FIX, Kind.REVERT}]
            mends.sort(key=lambda each: each.collapsed is not None)
            shas = [each.item.sha for each in mends if each.item.sha][: options.count]
            changes = app.store.changes(pin.upstream, ChangeFilter(shas=tuple(shas), off_line=None))
            trials = PickTrials(followed=one.followed, store=app.store, pin=pin)
            print(f"{one.name} {pin.ref}: {len(changes)} picks")
            _measure("alone", changes, partial(_alone, trials))
            if options.prerequisites:
                one_by_one = trials.pick_with_prerequisites
                _measure(
                    "with prerequisites",
                    changes,
                    lambda all_, pick=one_by_one: list(map(pick, all_)),
                )
        app.close()


def _alone(trials: PickTrials, changes: list[Change]) -> list[PickOutcome]:
    return list(trials.pick_each(changes).values())


def _each(trials: PickTrials, changes: list[Change]) -> list[PickOutcome]:
    return [trials.pick_with_prerequisites(change) for change in changes]


def _measure(
    title: str, changes: list[Change], pick: Callable[[list[Change]], list[PickOutcome]]
) -> None:
    before, started = _processor_seconds(), time.perf_counter()
    outcomes = pick(changes)
    wall, busy = time.perf_counter() - started, _processor_seconds() - before
    told = dict(Counter(map(_name, outcomes)))
    print(f"  {title}: {wall:.1f} s, of these {busy:.1f} s of processor time; {told}")


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _name(outcome: PickOutcome) -> str:
    if outcome.not_tried:
        return "not tried"
    if not outcome.is_clean:
        return "conflict"
    return "after prerequisites" if outcome.prerequisites else "clean"


def _without_kept_picks(config: Path, copy: Path) -> App:
    """The application on a copy of its store that has forgotten every trial."""
    app = open_app(config)
    app.copy_store(copy)
    app.close()
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("DELETE FROM document WHERE kind = 'pick'")
    return open_app(config, environment={**os.environ, "WATCHER_STORE_URL": f"sqlite:///{copy}"})


if __name__ == "__main__":
    main()
