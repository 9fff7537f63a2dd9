"""What `watcher db` and `watcher doctor` ask of a store: its state, a check, a copy."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Final

from msgspec import Struct
from sqlalchemy import URL, func, select

from watcher.errors import StoreError
from watcher.store.engine import database_file, reading, shown
from watcher.store.migrate import HEAD_REVISION, copy_database, revision_of
from watcher.store.repository import SqlStore
from watcher.store.tables import TABLES

_MOST_PROBLEMS: Final = 20


class StoreState(Struct, frozen=True, kw_only=True):
    """What a store is and holds."""

    address: str
    """Its file, or its address without a password."""
    backend: str
    """``sqlite``, ``postgresql``, …"""
    revision: str | None
    is_current: bool
    size_bytes: int | None
    """Of the file and its write-ahead log; None for a server."""
    rows: tuple[tuple[str, int], ...]
    """(table, number of rows) by name."""


def state_of(store: SqlStore) -> StoreState:
    """The state of an open store. Raises StoreError."""
    engine = store.engine
    with reading(engine) as connection:
        rows = tuple(
            (table.name, connection.scalar(select(func.count()).select_from(table)) or 0)
            for table in sorted(TABLES, key=attrgetter("name"))
        )
    revision = revision_of(engine)
    return StoreState(
        address=shown(engine.url),
        backend=engine.dialect.name,
        revision=revision,
        is_current=revision == HEAD_REVISION,
        size_bytes=_size(database_file(engine.url)),
        rows=rows,
    )


def problems_of(store: SqlStore) -> list[str]:
    """What an integrity check of an SQLite file finds, one line each; a server checks itself."""
    if store.engine.dialect.name != "sqlite":
        return []
    with reading(store.engine) as connection:
        told = connection.exec_driver_sql(f"PRAGMA quick_check({_MOST_PROBLEMS})").scalars().all()
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    problems = [str(line) for line in told if line != "ok"]
    if broken:
        problems.append(f"{len(broken)} rows refer to others that are not there")
    return problems


def copy_store(url: URL, target: Path) -> None:
    """A consistent copy of an SQLite store, also while it is in use, and before it is brought up
    to date. Raises StoreError.
    """
    file = database_file(url)
    if file is None:
        raise StoreError(
            "only an SQLite file can be copied here",
            where=shown(url),
            mend="use the server's own tool, such as pg_dump",
        )
    if target.exists():
        raise StoreError("is there already", where=str(target), mend="name another file")
    copy_database(file, target)


def _size(file: Path | None) -> int | None:
    if file is None:
        return None
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())
