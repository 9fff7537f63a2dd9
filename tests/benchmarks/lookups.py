"""Verdicts for a pin never asked for before, measured inside one process.

python -m tests.benchmarks.lookups REF      in a synced project's folder: rows as JSON
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from watcher.app import open_app
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.pinned import Moves, resolved
from watcher.ports.change_filter import ChangeFilter, Part

_AT_ONCE = 1000
_PARTS = frozenset({Part.FILES, Part.ORIGINS})


def main() -> None:
    """Measure in this folder, print rows."""
    app = open_app(Path("watcher.toml"))
    rows = []
    try:
        pins = app.pinned(Moves.parse([f"pinned={sys.argv[1]}"], [], ["pinned"]))
        for _, pin, horizon in resolved(pins):
            reading = judging = 0.0
            count = 0
            for after in range(pin.position, horizon.position, _AT_ONCE):
                started = time.process_time()
                until = min(horizon.position, after + _AT_ONCE)
                which = ChangeFilter(after=after, until=until, parts=_PARTS)
                changes = app.store.changes(pin.upstream, which)
                links = app.store.links(pin.upstream, [change.sha for change in changes])
                read = time.process_time()
                PinState(app.store, pin, horizon, {}, links).verdicts(changes)
                reading += read - started
                judging += time.process_time() - read
                count += len(changes)
            share = max(1, count) / 1000
            rows = [
                [f"read {count:,} changes", f"{reading:.2f} s", ""],
                [f"judge {count:,} changes", f"{judging:.2f} s", ""],
                ["judge 1,000 changes (goal 0.1 s)", f"{judging / share:.3f} s", ""],
            ]
    finally:
        app.close()
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
