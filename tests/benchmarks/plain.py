"""Plain BM25 over the changes of a synced project, as a process of its own.

    python -m tests.benchmarks.plain WORD ...      in the project's folder

The same baseline as that of ``evaluate --baseline``; prints the shas of the best ten.
"""

from __future__ import annotations

import sys
from pathlib import Path

from watcher.app import open_app
from watcher.matching.evaluate import WORDS, Case, plain_bm25
from watcher.pipeline.pinned import NO_MOVES, resolved
from watcher.ports.change_filter import ChangeFilter, Part


def main() -> None:
    """Rank and print."""
    text = " ".join(sys.argv[1:])
    app = open_app(Path("watcher.toml"))
    try:
        for one, pin, horizon in resolved(app.pinned(NO_MOVES)):
            which = ChangeFilter(
                after=pin.position, until=horizon.position, parts=frozenset({Part.FILES})
            )
            changes = app.store.changes(pin.upstream, which)
            case = Case(id="asked", upstream=pin.upstream, pin=pin.sha, as_of=None, text=text)
            print("\n".join([one.name, *plain_bm25(case, WORDS, changes)[:10]]))
    finally:
        app.close()


if __name__ == "__main__":
    main()
