"""Prints what watcher costs beside yardsticks measured in the same run.

    python -m tests.benchmarks                                            a made-up upstream
    python -m tests.benchmarks --upstream verl-project/verl=file:///MIRROR@v0.7.0
    python -m tests.benchmarks --growth vllm-project/vllm=file:///MIRROR

Processor times are the fairer numbers on a machine that does other things too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.benchmarks.growth import LENGTHS, measure_growth
from tests.benchmarks.made_upstream import make_upstream
from tests.benchmarks.measure import scratch_directory
from tests.benchmarks.project import BenchProject, Upstream
from tests.benchmarks.startup import measure_check, measure_log, measure_lookup
from tests.benchmarks.sync import measure_sync

QUICK_LENGTHS = (300, 1000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--upstream", metavar="OWNER/NAME=URL@REF", help="a real range to sync")
    parser.add_argument("--growth", metavar="OWNER/NAME=URL", help="a real upstream to grow on")
    parser.add_argument("--quick", action="store_true", help="1,000 changes at most")
    options = parser.parse_args()
    lengths = QUICK_LENGTHS if options.quick else LENGTHS
    with scratch_directory() as scratch:
        made = None
        if options.upstream is None or options.growth is None:
            made = make_upstream(scratch / "upstream.git", lengths[-1] + 50)
        looked_up = _short(scratch, options.upstream, made)
        grown = measure_growth(scratch, _upstream(options.growth, made), lengths)
        measure_check(scratch, grown, goal=0.6)
        measure_lookup(*looked_up)


def _short(scratch: Path, wanted: str | None, made: Upstream | None) -> tuple[BenchProject, str]:
    text, _, ref = (wanted or "").rpartition("@")
    upstream = _upstream(text, made)
    project = measure_sync(scratch, upstream, ref or upstream.before(1000))
    measure_check(scratch, project, goal=0.3)
    measure_log(scratch, project)
    return project, upstream.before(900)


def _upstream(text: str | None, made: Upstream | None) -> Upstream:
    if not text:
        assert made is not None
        return made
    name, _, url = text.partition("=")
    return Upstream(name, url)


if __name__ == "__main__":
    main()
