"""The list with 10,000 findings under 8 pins, timed: ``python -m tests.benchmarks.page``."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

from fastapi.testclient import TestClient

from tests.builders import git_environment
from tests.web.large import large_board
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


def main(rounds: int = 40) -> None:
    """Print how long each question takes."""
    board = large_board()
    with example(git_environment()) as app:
        site = make_site(app, "127.0.0.1")
        site = replace(site, boards=FreshBoard(lambda _: board, app.clock.now))
        app.settings = replace(
            app.settings,
            pins=tuple(replace(app.settings.pins[0], name=one.name) for one in board.statuses),
        )
        with TestClient(assemble(site), base_url="http://localhost") as client:
            for name, address in QUESTIONS.items():
                times = [_timed(client, address) for _ in range(rounds)]
                wall, cpu = (sorted(one) for one in zip(*times, strict=True))
                told = f"median {statistics.median(wall):6.1f} ms, worst {wall[-1]:6.1f} ms"
                print(f"{name:20} {told}; CPU {statistics.median(cpu):6.1f} ms")


def _timed(client: TestClient, address: str) -> tuple[float, float]:
    """Milliseconds by the clock and of the processor."""
    start, used = time.perf_counter(), time.process_time()
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000, (time.process_time() - used) * 1000


if __name__ == "__main__":
    main()
