"""What each rule that says "absent" adds and costs, in fold and with one upstream left out.

    python -m tests.tuning.presence_rules CASES.jsonl ... --config watcher.toml
        [--by-upstream] [--limit 0.02]

CASES are those of ``watcher evaluate --presence``: recorded ones, and those that
``tests.tuning.presence_pairs`` writes. Judged by the code alone; pairs that expect something else
than present or absent, or whose pin is not on the tracked line, are left out. Prints

* the verdicts of the shipped thresholds by group, with 95 % Wilson intervals;
* by rule what only it calls absent: rightly (groups that expect absent) and wrongly;
* the same out of fold: thresholds are chosen on all upstreams but one and measured on that one.

Chosen are the thresholds that find most (mean over groups that expect absent) among those that
call at most ``--limit`` of every sure group of present pairs absent; of equals the strictest.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from watcher.app import App, open_app
from watcher.facts.presence import Presence
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.presence.evaluate import PresenceCase, parse_cases
from watcher.presence.landed import LandedLine
from watcher.presence.model import SHIPPED, Features, Thresholds, features_at, is_mended_form
from watcher.presence.record import CODE, TESTS, decode
from watcher.presence.verdict import judge_by_lines

SMALLEST: Final = 50
"""Pairs that a group must have to bind the choice."""
UNSURE: Final = frozenset({"reported"})
"""Groups whose labels are too often wrong to bind the choice."""
OFF: Final = 9.0
"""A threshold that nothing reaches (for ``gone_below``: 0)."""
LINES, MENDED, UNDONE, NAMES = "lines", "mended", "undone", "names"
WITHOUT: Final[Mapping[str, dict[str, float]]] = {
    LINES: {"gone_below": 0.0},
    MENDED: {"mended_from": OFF},
    UNDONE: {"undone_from": OFF},
    NAMES: {"adapts_from": OFF},
}
GRID: Final[Mapping[str, Sequence[float]]] = {
    "gone_below": (0.2, 0.25, 0.3, 0.35, 0.4, 0.5),
    "mended_from": (OFF, 1.0, 0.8, 0.6),
    "undone_from": (OFF, 0.8, 0.5, 0.3),
    "adapts_from": (OFF, 0.5, 0.4, 0.3, 0.25, 0.16),
    "lately": (60, 120, 250, 500),
}
"""Strictest first, but for ``gone_below``, whose strictest is the lowest: first as well."""


@dataclass(frozen=True)
class Row:
    """One pair with its features, by how far back a name counts as lately born."""

    case: PresenceCase
    by_lately: Mapping[int, Features]
    """Empty when no lines are compared."""
    is_new_folder: bool


def in_group(name: str) -> Callable[[Row], bool]:
    return lambda row: row.case.group == name


def of_upstream(name: str) -> Callable[[Row], bool]:
    return lambda row: row.case.upstream == name


class Bench:
    """Rows as bit sets: which of them a rule calls absent, which of them belong to a group."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._masks: dict[tuple[object, ...], int] = {}
        self.new_folders = self._bits(lambda row: row.is_new_folder)
        self.groups = {
            (group, expected): self._bits(in_group(group))
            for group, expected in {row.case.group: row.case.expected for row in rows}.items()
        }
        self.upstreams = {
            name: self._bits(of_upstream(name))
            for name in sorted({row.case.upstream for row in rows})
        }
        self.all = (1 << len(rows)) - 1

    def _bits(self, holds: Callable[[Row], bool]) -> int:
        return sum(1 << at for at, row in enumerate(self.rows) if holds(row))

    def _rule(self, key: tuple[object, ...], holds: Callable[[Row], bool]) -> int:
        if key not in self._masks:
            self._masks[key] = self._bits(lambda row: bool(row.by_lately) and holds(row))
        return self._masks[key]

    def absent(self, at: Thresholds) -> int:
        """What the rules call absent."""
        usual = int(SHIPPED.lately)
        lines = self._rule(
            (LINES, at.gone_below), lambda row: row.by_lately[usual].there < at.gone_below
        )
        mended = self._rule(
            (MENDED, at.mended_from, at.undone_from),
            lambda row: is_mended_form(row.by_lately[usual], at),
        )
        names = self._rule(
            (NAMES, at.adapts_from, at.lately),
            lambda row: row.by_lately[at.lately].lately_newer_names >= at.adapts_from,
        )
        return lines | mended | names | self.new_folders

    def choose(self, within: int, limit: float) -> Thresholds:
        """The best thresholds of the grid on some rows."""
        best, found_most = SHIPPED, (-1.0, 0.0)
        for values in itertools.product(*GRID.values()):
            given = dict(zip(GRID, values, strict=True))
            at = Thresholds(**{**given, "lately": int(given["lately"])})  # type: ignore[arg-type]
            absent = self.absent(at) & within
            found = self._found(absent, within, limit)
            if found > found_most:
                best, found_most = at, found
        return best

    def _found(self, absent: int, within: int, limit: float) -> tuple[float, float]:
        """Mean share that is found, then minus the mean share that is wrong; (-1, 0) for too many
        wrong ones.
        """
        found: list[float] = []
        wrong: list[float] = []
        for (group, expected), mask in self.groups.items():
            count = (mask & within).bit_count()
            if not count:
                continue
            share = (mask & absent).bit_count() / count
            if expected is Presence.ABSENT:
                found.append(share)
            elif group not in UNSURE and count >= SMALLEST:
                wrong.append(share)
        if not found or any(share > limit for share in wrong):
            return (-1.0, 0.0)
        return (sum(found) / len(found), -sum(wrong) / max(1, len(wrong)))


def main() -> int:
    """Measure, cross-validate, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--by-upstream", action="store_true")
    parser.add_argument("--limit", type=float, default=0.02, help="share of wrong absents allowed")
    asked = parser.parse_args()
    cases = [
        case
        for path in asked.cases
        for case in parse_cases(path.read_text(encoding="utf-8"), where=str(path))
        if case.expected in {Presence.PRESENT, Presence.ABSENT}
    ]
    bench = Bench(list(read_rows(open_app(asked.config), cases)))
    print(f"{len(bench.rows)} of {len(cases)} pairs\n\ncalled absent by the shipped thresholds")
    print_groups(bench, bench.absent(SHIPPED), bench.all)
    for name, mask in bench.upstreams.items() if asked.by_upstream else ():
        print(f"\n{name}")
        print_groups(bench, bench.absent(SHIPPED), mask)
    print("\ncalled absent by one rule alone, shipped thresholds")
    print_rules(bench, dict.fromkeys(bench.upstreams, SHIPPED))
    chosen = {
        name: bench.choose(bench.all & ~mask, asked.limit) for name, mask in bench.upstreams.items()
    }
    print("\nchosen without")
    for name, at in (*chosen.items(), ("(none)", bench.choose(bench.all, asked.limit))):
        told = (f"{key} {'off' if getattr(at, key) == OFF else getattr(at, key)}" for key in GRID)
        print(f"  {name:26}", ", ".join(told))
    out_of_fold = 0
    for name, at in chosen.items():
        out_of_fold |= bench.absent(at) & bench.upstreams[name]
    print("\ncalled absent, out of fold")
    print_groups(bench, out_of_fold, bench.all)
    print("\ncalled absent by one rule alone, out of fold")
    print_rules(bench, chosen)
    return 0


def read_rows(app: App, cases: Sequence[PresenceCase]) -> Iterator[Row]:
    """Pairs with the features of their records."""
    for upstream in sorted({case.upstream for case in cases}):
        own = [case for case in cases if case.upstream == upstream]
        shas = tuple({sha for case in own for sha in (case.pin, case.fix)})
        which = ChangeFilter(shas=shas, parts=frozenset({Part.ORIGINS}))
        known = {change.sha: change for change in app.store.changes(upstream, which)}
        for case in own:
            pin, fix = known.get(case.pin), known.get(case.fix)
            if pin is None or fix is None or fix.diff.origins is None or pin.position is None:
                continue
            record = decode(fix.diff.origins)
            is_compared = record.scope in {CODE, TESTS} and (record.removed or record.beside)
            latelies = {*map(int, GRID["lately"]), SHIPPED.lately} if is_compared else set()
            verdict = judge_by_lines(record, pin.position, LandedLine([]))
            yield Row(
                case,
                {
                    lately: features_at(record, pin.position, replace(SHIPPED, lately=lately))
                    for lately in latelies
                },
                is_new_folder=not is_compared and verdict.presence is Presence.ABSENT,
            )


# --- report ---


def print_groups(bench: Bench, absent: int, within: int) -> None:
    """Share called absent by group."""
    for (group, expected), mask in sorted(bench.groups.items(), key=lambda one: one[0][::-1]):
        count = (mask & within).bit_count()
        if count:
            print(f"  {expected:8} {group:16}", share((mask & absent & within).bit_count(), count))


def print_rules(bench: Bench, chosen: Mapping[str, Thresholds]) -> None:
    """By rule and group what is called absent with the rule and not without it."""
    for rule, off in WITHOUT.items():
        alone = 0
        for name, at in chosen.items():
            without = bench.absent(replace(at, **off))  # type: ignore[arg-type]
            alone |= bench.absent(at) & ~without & bench.upstreams[name]
        print(f" {rule}")
        print_groups(bench, alone, bench.all)


def share(some: int, count: int) -> str:
    """A share with its 95 % Wilson interval."""
    z = 1.96
    middle = (some + z * z / 2) / (count + z * z)
    half = z * math.sqrt(some * (count - some) / count + z * z / 4) / (count + z * z)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{some:5} of {count:5}  {some / count:7.2%}  [{low:.2%}, {high:.2%}]"


if __name__ == "__main__":
    sys.exit(main())
