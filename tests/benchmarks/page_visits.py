"""The pages: with 10,000 findings under 8 pins, and on a project that was synced.

python -m tests.benchmarks.page [FOLDER]      FOLDER of a synced project: rows as JSON
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from fastapi.testclient import TestClient
from msgspec.structs import replace

from tests.builders import git_environment
from tests.web.large import large_board
from watcher.app import open_app
from watcher.demonstration import example
from watcher.web.app import assemble, make_site
from watcher.web.fresh import FreshBoard

QUESTIONS = {
    "list": "/list",
    "list, page 40": "/list?all=1&page=40",
    "one pin": "/list?pin=pin3",
    "tier and kind": "/list?tier=likely&kind=fix",
    "facet and file": "/list?facet=fsdp&file=part_3&all=1",
    "search one word": "/list?q=deadlock",
    "search three words": "/list?q=garbled+uneven+run.sh&all=1",
    "search nothing": "/list?q=zzzzzzz&all=1",
    "newest first": "/list?sort=newest&all=1",
    "200 a page": "/list?per=200",
    "overview": "/",
    "API, 50 of all": "/api/v1/list?all=1&limit=50",
}
_VISITS = {
    "overview, the first visit": "/",
    "overview again": "/",
    "list": "/list",
    "list of all, page 40": "/list?all=1&page=40",
    "search a word in all": "/list?q=deadlock&all=1",
    "API, 50 of all": "/api/v1/list?all=1&limit=50",
}


def large_rows(rounds: int) -> list[tuple[str, ...]]:
    """How long each question takes on a board made from counters."""
    board = large_board()
    rows = []
    with example(git_environment()) as app:
        site = make_site(app, "127.0.0.1")
        site = dataclasses.replace(site, boards=FreshBoard(lambda _: board, app.clock.now))
        app.settings = replace(
            app.settings,
            pins=tuple(replace(app.settings.pins[0], name=one.name) for one in board.statuses),
        )
        with TestClient(assemble(site), base_url="http://localhost") as client:
            for name, address in QUESTIONS.items():
                times = [_timed(client, address) for _ in range(rounds)]
                wall, cpu = (sorted(one) for one in zip(*times, strict=True))
                rows.append((name, *_told((statistics.median(wall), wall[-1])), *_told(cpu, 1)))
    return rows


def _told(times: Sequence[float], middle: int = 0) -> list[str]:
    shown = [statistics.median(times)] if middle else times
    return [f"{one:.1f} ms" for one in shown]


def visit(folder: Path) -> list[list[str]]:
    """The pages of a project, one after the other."""
    app = open_app(folder / "watcher.toml")
    try:
        with TestClient(
            assemble(make_site(app, "127.0.0.1")), base_url="http://localhost"
        ) as client:
            return [[name, *_told(_timed(client, address))] for name, address in _VISITS.items()]
    finally:
        app.close()


def _timed(client: TestClient, address: str) -> tuple[float, float]:
    """Milliseconds by the clock and of the processor."""
    start, used = time.perf_counter(), time.process_time()
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000, (time.process_time() - used) * 1000


def main() -> None:
    """Measure and print."""
    if sys.argv[1] == "--large":
        print(json.dumps(large_rows(int(sys.argv[2]))))
    else:
        print(json.dumps(visit(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
