"""Many readers at once while syncs run: ``python -m tests.benchmarks.readers READERS SECONDS``.

Serves the embedded example on loopback; each reader walks through the pages until time is up.
"""

from __future__ import annotations

import asyncio
import json
import socket
import statistics
import sys
import threading
import time
from collections import Counter

import httpx
import uvicorn

from tests.builders import git_environment
from tests.stories import SilentProgress
from watcher.app import App
from watcher.demonstration import example
from watcher.web.app import create

WALK = (
    "/",
    "/list",
    "/list?q=offload",
    "/api/v1/list",
    "/list?tier=unlikely",
    "/item/rltrain%2317",
    "/api/v1/pins",
    "/check",
)


async def read(
    client: httpx.AsyncClient,
    until: float,
    start: int,
    told: Counter[str],
    times: dict[str, list[float]],
) -> None:
    """One reader; counts answers by status and keeps times by page."""
    step = start
    while time.monotonic() < until:
        address = WALK[step % len(WALK)]
        step += 1
        began = time.monotonic()
        try:
            answer = await client.get(address)
            told[str(answer.status_code)] += 1
        except httpx.HTTPError as error:
            told[type(error).__name__] += 1
        times.setdefault(address, []).append((time.monotonic() - began) * 1000)


async def crowd(
    address: str, readers: int, seconds: float, times: dict[str, list[float]]
) -> Counter[str]:
    """All readers together."""
    told: Counter[str] = Counter()
    until = time.monotonic() + seconds
    limits = httpx.Limits(max_connections=readers)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=30) as client:
        await asyncio.gather(*(read(client, until, one, told, times) for one in range(readers)))
    return told


def keep_syncing(app: App, done: threading.Event) -> None:
    """Syncs one after the other, each from a new start of the history."""
    while not done.is_set():
        app.sync(SilentProgress())
        done.wait(0.5)


def serve_crowd(readers: int, seconds: float) -> tuple[Counter[str], dict[str, list[float]]]:
    """Serve, read and sync until time is up: answers by status, milliseconds by page."""
    times: dict[str, list[float]] = {}
    with example(git_environment()) as app, socket.socket() as listener:
        app.sync(SilentProgress())
        listener.bind(("127.0.0.1", 0))
        listener.listen(256)
        server = uvicorn.Server(uvicorn.Config(create(app), log_level="error"))
        done = threading.Event()
        threads = [
            threading.Thread(target=server.run, args=([listener],)),
            threading.Thread(target=keep_syncing, args=(app, done)),
        ]
        for thread in threads:
            thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        told = asyncio.run(crowd(address, readers, seconds, times))
        done.set()
        server.should_exit = True
        for thread in threads:
            thread.join()
    return told, times


def main() -> None:
    """Measure and print JSON."""
    told, times = serve_crowd(int(sys.argv[1]), float(sys.argv[2]))
    rows = []
    for address, taken in sorted(times.items()):
        median, worst = statistics.median(taken), max(taken)
        rows.append([address, f"{len(taken):,}", f"{median:.1f} ms", f"{worst:.1f} ms"])
    statuses = ", ".join(f"{name} {number:,} times" for name, number in sorted(told.items()))
    print(json.dumps({"statuses": statuses, "rows": rows}))


if __name__ == "__main__":
    main()
