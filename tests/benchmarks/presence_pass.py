"""Cost of presence in the one pass over a range: CPU beside bare ``git log -p``, memory, look-ups.

Facts are read apart and do not count.

Run: ``python -m tests.benchmarks.presence_pass REPOSITORY BASE TIP [--more COMMITS]``. BASE ``-``
starts at the root. The bare log and the pass run one after the other on the same range; times are
of the CPU, the child processes' included, so that other load on the machine counts little.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from watcher.adapters.git.mirror import GitMirror
from watcher.facts.diff import OriginRecord
from watcher.history.diff import parse_log
from watcher.presence.landed import LandedLine
from watcher.presence.lineage import Lineage
from watcher.presence.record import decode
from watcher.presence.state import dump, load
from watcher.presence.verdict import judge_by_lines

Result = TypeVar("Result")


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(what: str, action: Callable[[], Result]) -> tuple[float, Result]:
    start = cpu_seconds()
    result = action()
    seconds = cpu_seconds() - start
    print(f"{what:34}{seconds:9.2f} s")
    return seconds, result


def bare_log(repository: Path, base: str | None, tip: str) -> None:
    span = f"{base}..{tip}" if base else tip
    command = ["git", "-C", str(repository), "log", "--first-parent", "-p", "-U0", "-M", span]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def run_pass(
    mirror: GitMirror, lineage: Lineage, base: str | None, tip: str, start: int
) -> list[OriginRecord]:
    diffs = parse_log(mirror.patches(base, tip))
    return [lineage.apply(diff, position).record for position, diff in enumerate(diffs, start)]


def look_up(records: list[OriginRecord], position: int) -> int:
    line = LandedLine([])
    return sum(
        judge_by_lines(decode(record), position, line).lines != () for record in records[-1000:]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("base")
    parser.add_argument("tip")
    parser.add_argument("--more", type=int, default=20, help="commits of a later sync")
    given = parser.parse_args()
    base = None if given.base == "-" else given.base
    mirror = GitMirror(given.repository, environment=os.environ)
    shas = [raw.sha for raw in mirror.messages(base, given.tip)]
    cut = shas[-given.more - 1]
    lineage = Lineage()

    log_seconds, _ = timed("git log -p", lambda: bare_log(given.repository, base, given.tip))
    seed_seconds = 0.0
    if base is not None:
        seed_seconds, _ = timed("read the base tree", lambda: lineage.seed(mirror.blobs(base)))
    pass_seconds, records = timed(
        f"pass over {len(shas) - given.more} commits",
        lambda: run_pass(mirror, lineage, base, cut, 0),
    )
    _, state = timed("write the state", lambda: dump(lineage))
    _, resumed = timed("read the state", lambda: load(state))
    timed(
        f"later sync of {given.more}",
        lambda: run_pass(mirror, resumed, cut, given.tip, len(shas) - given.more),
    )
    run_pass(mirror, lineage, cut, given.tip, len(shas) - given.more)
    timed("look-up of 1,000 changes", lambda: look_up(records, len(shas) // 2))
    print(f"{'times git log -p':34}{(seed_seconds + pass_seconds) / log_seconds:9.2f}")
    print(f"{'state':34}{len(state) / 1e6:9.2f} MB")
    print(f"{'incremental equals full':34}{dump(resumed) == dump(lineage)!s:>9}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'peak memory':34}{peak:9.0f} MB")


if __name__ == "__main__":
    main()
