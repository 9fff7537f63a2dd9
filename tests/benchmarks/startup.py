"""What ``check`` costs as a whole process beside ``import sqlmodel``; a look-up for a new pin."""

from __future__ import annotations

import time
from pathlib import Path

from tests.benchmarks.measure import best, cost_row, import_cost, table
from tests.benchmarks.project import BenchProject

WORDS = ("rollout", "hangs", "after", "offload", "reload")
LOG_MB = 50


def measure_check(scratch: Path, project: BenchProject, goal: float) -> None:
    """Print the table of ``check`` on a synced project."""
    cost = best(project.command("check", *WORDS), project.directory, project.variables)
    imported = import_cost(scratch)
    table(
        f"check on {project.changes():,} changes",
        [cost_row("check", cost), cost_row("python -c 'import sqlmodel'", imported)],
    )
    told = f"clock {cost.wall - imported.wall:+.2f} s, CPU {cost.cpu - imported.cpu:+.2f} s"
    print(f"  check - import: {told} (goal +{goal} s)")


def measure_log(scratch: Path, project: BenchProject) -> None:
    """Print what a large log through standard input costs."""
    log = scratch / "train.log"
    write_log(log, LOG_MB * 1024 * 1024)
    cost = project.watcher("check", "--log", "-", stdin=log)
    table(f"a log of {LOG_MB} MB (goal 5 s, 300 MB)", [cost_row("check --log -", cost)])


def write_log(path: Path, size: int) -> None:
    """A training log with progress bars, warnings of many ranks and one traceback near its end."""
    frame = (
        '  File "/opt/lib/engine/trainer/part_1.py", line 31, in gather_actor_1\n    gather(x)\n'
    )
    end = f"Traceback (most recent call last):\n{frame * 9}RuntimeError: shard mask differs\n"
    with path.open("w", encoding="utf-8") as stream:
        step = 0
        while stream.tell() < size - len(end):
            step += 1
            worker = f"(WorkerDict pid={4000 + step % 8})"
            stream.write(
                f"{worker} [rank{step % 8}]: step:{step} - actor/loss:{step / 7:.5f}"
                f" - reward/mean:{step / 9:.4f}\n\x1b[36m{worker}\x1b[0m"
                f" WARNING 11-25 03:26:13 [core.py:708] cache block {step} is evicted\r"
                f"Training Progress: {step % 100}%|###   | {step}/90000 [03:21<11:02,  1.2s/it]\n"
            )
        stream.write(end)


def measure_lookup(project: BenchProject, ref: str) -> None:
    """Print how long the verdicts of 1,000 changes take for a pin never asked for before."""
    from watcher.app import open_app  # late: the parent of measured processes stays small
    from watcher.pipeline.pin_state import PinState
    from watcher.pipeline.pinned import Moves, resolved
    from watcher.ports import ALL_PARTS, ChangeFilter

    moves = Moves.parse([f"pinned={ref}"], [], ["pinned"])
    app = open_app(project.directory / "watcher.toml", environment=project.variables)
    try:
        for one, pin, horizon in resolved(app.pinned(moves)):
            which = ChangeFilter(after=horizon.position - 1000, parts=ALL_PARTS, off_line=False)
            changes = app.store.changes(pin.upstream, which)
            links = app.store.links(pin.upstream, tuple(change.sha for change in changes))
            start, used = time.perf_counter(), time.process_time()
            PinState(app.store, pin, horizon, {}, links).verdicts(changes)
            wall, cpu = time.perf_counter() - start, time.process_time() - used
            print(f"\n{one.name} at {ref[:12]}: verdicts of {len(changes):,} changes (goal 0.1 s)")
            print(f"  {wall:.3f} s  CPU {cpu:.3f} s")
    finally:
        app.close()
