"""What a first sync and an idle one cost beside git alone and beside ``import sqlmodel``."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.measure import Cost, best, cost_row, environment, import_cost, run, table
from tests.benchmarks.project import BenchProject, Upstream


def git_alone(scratch: Path, upstream: Upstream, ref: str) -> Cost:
    """A shallow fetch of the range, and its whole log with patches."""
    bare = scratch / "git-alone.git"
    variables = environment(scratch)
    cost = run(["git", "init", "-q", "--bare", str(bare)], scratch, variables)
    sha = upstream.git("merge-base", f"{ref}^{{commit}}", upstream.branch)
    when = upstream.git("show", "-s", "--format=%ct", sha)
    git = ["git", "-C", str(bare)]
    shallow = ["fetch", "-q", "--no-tags", f"--shallow-since={when}", upstream.url, upstream.branch]
    cost += run([*git, *shallow], scratch, variables)
    log = ["log", "--first-parent", "-p", f"{sha}..FETCH_HEAD"]
    return cost + run([*git, *log], scratch, variables)


def measure_sync(scratch: Path, upstream: Upstream, ref: str) -> BenchProject:
    """Print the table of a range; returns the synced project."""
    yardstick = git_alone(scratch, upstream, ref)
    project = BenchProject.make(scratch, upstream, ref)
    project.watcher("doctor")  # byte code is there, as in an installed package
    first = project.watcher("sync")
    idle = best(project.command("sync"), project.directory, project.variables)
    imported = import_cost(scratch)
    table(
        f"sync of {upstream.name} {ref}..{upstream.branch}: {project.changes():,} changes",
        [
            cost_row("shallow fetch + git log -p", yardstick),
            cost_row("first sync", first),
            cost_row("second sync, nothing new", idle),
            cost_row("python -c 'import sqlmodel'", imported),
        ],
    )
    told = f"clock {first.wall / yardstick.wall:.1f}, CPU {first.cpu / yardstick.cpu:.1f}"
    print(f"  first sync / git alone: {told} (goal 4)")
    told = f"clock {idle.wall - imported.wall:+.2f} s, CPU {idle.cpu - imported.cpu:+.2f} s"
    print(f"  idle sync - import: {told} (goal +0.3 s)")
    return project
