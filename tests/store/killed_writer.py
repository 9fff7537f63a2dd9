"""A program: MIGRATIONS (POINT URL)...: writes a walk into each store and dies at the point.

Prints the exit status of the writer for each. Forks, so that the imports are paid once.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from sqlalchemy import event

from tests.builders import make_change, make_walk
from watcher.facts.links import Links
from watcher.store.migrate import open_store

T = TypeVar("T")
KILLED = 9


def dying(items: Iterable[T], at: int | None) -> Iterator[T]:
    for place, item in enumerate(items):
        if place == at:
            os._exit(KILLED)
        yield item


def write(migrations: Path, point: str, url: str) -> None:
    what, _, place = point.partition("-")
    at = int(place or 0)
    store = open_store(url, migrations)
    inserted = 0

    @event.listens_for(store.engine, "after_cursor_execute")
    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal inserted
        inserted += statement.startswith("INSERT")
        if what == "insert" and inserted == at:
            os._exit(KILLED)

    @event.listens_for(store.engine, "commit")
    def commit(_connection: object) -> None:
        if what == "commit" and inserted:
            os._exit(KILLED)

    changes = [make_change(n, title="new") for n in range(5, 525)]
    links: Callable[[], Iterable[Links]] = lambda: dying(  # noqa: E731
        (Links(sha=change.sha) for change in changes), at if what == "links" else None
    )
    store.save_walk(
        make_walk(524), dying(changes, at if what == "change" else None), links, restart=True
    )


def main(migrations: str, *pairs: str) -> None:
    for point, url in zip(pairs[::2], pairs[1::2], strict=True):
        child = os.fork()
        if child == 0:
            write(Path(migrations), point, url)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
