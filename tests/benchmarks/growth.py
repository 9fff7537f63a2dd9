"""How a first sync grows with the number of changes, in time beside git alone and in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measure import Cost, table
from tests.benchmarks.project import BenchProject, Upstream
from tests.benchmarks.sync import git_alone

LENGTHS = (1000, 3000, 9000)


def measure_growth(
    scratch: Path, upstream: Upstream, lengths: Sequence[int] = LENGTHS
) -> BenchProject:
    """Print the table; returns the largest project, synced."""
    rows = [("changes", "sync", "a 1,000", "git alone", "sync / git (CPU)", "peak (goal 300 MB)")]
    project = None
    for number, length in enumerate(lengths):
        ref = upstream.before(length)
        folder = scratch / f"growth-{number}"
        folder.mkdir()
        alone = _alone(folder, upstream, ref)
        project = BenchProject.make(folder, upstream, ref)
        cost = project.watcher("sync")
        count = project.changes()
        rows.append(
            (
                f"{count:,}",
                f"{cost.wall:.1f} s, CPU {cost.cpu:.1f} s",
                f"CPU {cost.cpu / max(count, 1) * 1000:.1f} s",
                f"{alone.wall:.1f} s, CPU {alone.cpu:.1f} s" if alone else "fails",
                f"{cost.cpu / alone.cpu:.1f}" if alone else "-",
                f"{cost.peak_mb:.0f} MB",
            )
        )
    table(f"growth of the first sync of {upstream.name}", rows)
    assert project is not None
    return project


def _alone(folder: Path, upstream: Upstream, ref: str) -> Cost | None:
    """git's own cost; None where it dies on objects that the remote has lost."""
    try:
        return git_alone(folder, upstream, ref)
    except SystemExit:
        return None
