"""What syncs cost beside git alone and ``import sqlmodel``: the first, an idle, a later one."""

from __future__ import annotations

from tests.benchmarks.bench import LATER, Bench, Synced
from tests.benchmarks.measure import COST_HEAD, IMPORT, Cost, best, cost_row, import_cost, table


def sync(bench: Bench) -> None:
    """Print the first sync of each subject and one that finds nothing new."""
    for one in bench.synced():
        idle = best(one.project.command("sync"), one.project.directory, one.project.variables)
        imported = import_cost(bench.scratch)
        rows = [
            COST_HEAD,
            cost_row("shallow fetch and `git log -p`", one.alone),
            cost_row("first sync", one.first),
            cost_row("second sync, nothing new", idle),
            cost_row(IMPORT, imported),
        ]
        table(f"Sync: {one.title}", rows)
        if one.alone is not None:
            clock, cpu = one.first.wall / one.alone.wall, one.first.cpu / one.alone.cpu
            print(f"\nFirst sync / git alone: clock {clock:.1f}, CPU {cpu:.1f} (goal 4).")
        told = f"clock {idle.wall - imported.wall:+.2f} s, CPU {idle.cpu - imported.cpu:+.2f} s"
        print(f"Idle sync - import: {told} (goal +0.3 s).")
        sizes = ", ".join(f"{name} {size:.0f} MB" for name, size in one.project.disk_mb().items())
        print(f"On disk: {sizes}.", flush=True)


def delta(bench: Bench) -> None:
    """Print what a few later changes cost, beside the first sync."""
    for one in bench.synced():
        rows = [COST_HEAD, cost_row("first sync", one.first)]
        left = sum(LATER)
        for count in LATER:
            left -= count
            rows.append(cost_row(f"{count} changes later", _next_sync(one, left)))
        table(f"Delta: {one.title}", rows)


def _next_sync(one: Synced, left: int) -> Cost:
    one.upstream.move_on(one.subject.whole, left)
    return one.project.watcher("sync")
