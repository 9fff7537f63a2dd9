"""What the question "is it in this pin?" costs for a pin never asked for before."""

from __future__ import annotations

import json

from tests.benchmarks.bench import Bench
from tests.benchmarks.measure import table


def presence(bench: Bench) -> None:
    """Print the look-ups of each subject; all of it from the store, without git."""
    for one in bench.synced():
        middle = one.upstream.before(one.project.changes() // 2)
        told = one.project.directory / "presence.json"
        cost = one.project.module("lookups", middle, stdout=told)
        rows = [("what", "CPU", "peak memory"), *json.loads(told.read_text(encoding="utf-8"))]
        rows.append(["the whole process", f"{cost.cpu:.2f} s", cost.peak])
        table(f"Presence at a pin in the middle: {one.title}", rows)
