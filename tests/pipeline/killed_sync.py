"""A program: CONFIG KIND COUNT: ``watcher sync`` in a process that dies by SIGKILL at a point.

Points are counted: the COUNT-th start of a git process, statement to the store or to the search
index, or file put in its place. Exits 0 when the sync ends before its point comes.
"""

from __future__ import annotations

import os
import signal
import sys

EVENTS = {
    "git": ("subprocess.Popen",),
    "file": ("os.rename", "os.remove", "os.mkdir"),
    "open": ("open",),
}
"""Audit events of the interpreter that are counted, by the kind of point."""


def main(config: str, kind: str, count: str) -> None:
    from watcher.cli.main import run

    left = int(count)

    def die_in_time() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    if kind == "statement":
        _count_statements(die_in_time)
    else:
        wanted = EVENTS[kind]

        def hear(event: str, arguments: tuple[object, ...]) -> None:
            if event in wanted and _is_ours(event, arguments):
                die_in_time()

        sys.addaudithook(hear)
    status = run(["--quiet", "--config", config, "sync"])
    print(f"left {left}", file=sys.stderr)
    sys.exit(status)


def _is_ours(event: str, arguments: tuple[object, ...]) -> bool:
    """Files that are written; reading a module is no point."""
    return event != "open" or ".watcher" in str(arguments[0])


def _count_statements(die_in_time: object) -> None:
    import sqlite3

    connect = sqlite3.connect

    def traced(*arguments: object, **options: object) -> sqlite3.Connection:
        connection = connect(*arguments, **options)  # type: ignore[call-overload]
        connection.set_trace_callback(lambda _statement: die_in_time())  # type: ignore[operator]
        return connection

    sqlite3.connect = sqlite3.dbapi2.connect = traced  # type: ignore[assignment]


if __name__ == "__main__":
    main(*sys.argv[1:])
