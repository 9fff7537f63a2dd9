"""How costs grow with the number of changes: syncs, answers, memory, disk."""

from __future__ import annotations

from tests.benchmarks.asking import words_asked
from tests.benchmarks.bench import LATER, Bench, Synced
from tests.benchmarks.measure import Cost, best, table

_HEAD = (
    "changes", "first sync", "per 1,000", "sync / git", "sync peak", "10 later",
    "check", "check peak", "list, first", "list, again", "list peak", "on disk",
)  # fmt: skip


def growth(bench: Bench) -> None:
    """Print one table: a row for each length of history. All times are of the processor."""
    rows: list[tuple[str, ...]] = [_HEAD]
    rows += [_row(one) for one in bench.grown()]
    table("Growth with the number of changes (CPU; goal for a sync 300 MB)", rows)


def _row(one: Synced) -> tuple[str, ...]:
    project, count = one.project, one.project.changes()
    disk = sum(project.disk_mb().values())
    listed = project.watcher("list")
    again = _best(one, "list")
    checked = _best(one, "check", *words_asked(one.upstream))
    one.upstream.move_on(one.subject.whole, sum(LATER) - LATER[0])
    later = project.watcher("sync")
    first = one.first
    return (
        f"{count:,}",
        _seconds(first),
        f"{first.cpu / max(1, count) * 1000:.1f} s",
        "fails" if one.alone is None else f"{first.cpu / one.alone.cpu:.1f}",
        first.peak,
        _seconds(later),
        _seconds(checked),
        checked.peak,
        _seconds(listed),
        _seconds(again),
        f"{max(listed.peak_mb, again.peak_mb):.0f} MB",
        f"{disk:.0f} MB",
    )


def _best(one: Synced, *arguments: str) -> Cost:
    command = one.project.command(*arguments)
    return best(command, one.project.directory, one.project.variables, rounds=2)


def _seconds(cost: Cost) -> str:
    return f"{cost.cpu:.2f} s"
