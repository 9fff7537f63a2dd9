"""A program: MIGRATIONS URL POINT: opens a store and dies by SIGKILL before statement POINT.

Ends with status 0 when there are fewer statements.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from alembic import command
from sqlalchemy import Engine, event

from watcher.store.migrate import open_store

assert command, "imported once, before the forks"


def main(migrations: str, url: str, *points: str) -> None:
    for point in points:
        child = os.fork()
        if child == 0:
            die_at(int(point))
            open_store(url.replace("POINT", point), Path(migrations)).close()
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def die_at(point: int) -> None:
    """SIGKILL before the statement of that number, from 0."""
    seen = 0

    @event.listens_for(Engine, "before_cursor_execute")
    def count(*_: object) -> None:
        nonlocal seen
        if seen == point:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
