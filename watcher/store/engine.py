"""A database address -> an engine whose failures are ``StoreError`` in one line.

SQLite runs in WAL mode with foreign keys on; a transaction that will write takes the write lock at
its start, so two writers wait for each other and never fail half-way. On PostgreSQL an advisory
lock per purpose gives the same order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from watcher.errors import StoreError
from watcher.store.codec import CodecError

BUSY_SECONDS: Final = 30.0
"""How long a writer waits for another one."""

_SWITCHES: Final = 20
"""How often a switch to WAL is tried."""

_MENDS: Final = (
    ("database is locked", "another watcher is writing", "wait until it ends and repeat"),
    ("lock timeout", "another watcher is writing", "wait until it ends and repeat"),
    ("disk is full", "the disk is full", "free some space and repeat; nothing was lost"),
    ("readonly database", "the database cannot be written",
     "give write permission on the file and its directory, or change store.url"),
    ("unable to open database file", "the database file cannot be opened",
     "create its directory, give write permission on it, or change store.url"),
    ("not a database", "this is not an SQLite database", "point store.url at another file"),
    ("malformed", "the database is damaged",
     "move it away or restore a copy; `watcher sync` reads upstream's history again"),
    ("disk i/o error", "the disk cannot be read or written", "check the disk and repeat"),
    ("connection refused", "the database server does not answer", "start it or mend store.url"),
    ("password authentication failed", "the server refuses the password", "mend store.url"),
)  # fmt: skip
"""(part of the database's message, what it means, how to mend)."""


def make_engine(url: str, *, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """The engine for an address; connects to nothing yet. Raises StoreError."""
    try:
        address = make_url(url)
        if address.get_backend_name() != "sqlite":
            return _server_engine(address, busy_seconds)
        engine = create_engine(address, connect_args={"timeout": busy_seconds})
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
        raise StoreError(
            f"not a database address: {_first_line(error)}",
            where="store.url",
            mend="write sqlite:///FILE or postgresql://USER@HOST/DATABASE",
        ) from error
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _server_engine(address: URL, busy_seconds: float) -> Engine:
    if address.get_backend_name() != "postgresql":
        return create_engine(address, pool_pre_ping=True)
    if "+" not in address.drivername:
        address = address.set(drivername="postgresql+psycopg")
    theirs = str(address.query.get("options", ""))
    options = f"{theirs} -c lock_timeout={int(busy_seconds * 1000)}".strip()
    return create_engine(address, pool_pre_ping=True, connect_args={"options": options})


def database_file(url: URL) -> Path | None:
    """The file of an SQLite database; None for a server or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in {None, "", ":memory:"}:
        return None
    return Path(str(url.database).removeprefix("file:"))


def shown(url: URL) -> str:
    """How messages name the database: its file, or its address without a password."""
    file = database_file(url)
    return str(file) if file is not None else url.render_as_string(hide_password=True)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection for reading. Raises StoreError."""
    with mapped(engine), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine, purpose: str = "write") -> Iterator[Connection]:
    """A transaction that is alone in writing (on a server: for its purpose). Raises StoreError."""
    writer = engine.execution_options(watcher_writes=True)
    with mapped(engine), writer.begin() as connection:
        if connection.dialect.name == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:purpose, 0))")
            connection.execute(lock, {"purpose": f"watcher:{purpose}"})
        yield connection


@contextmanager
def mapped(engine: Engine) -> Iterator[None]:
    """Turns the database's failures and records that do not fit into StoreError."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OverflowError, CodecError) as error:
        raise _store_error(error, shown(engine.url)) from error


def _store_error(error: Exception, where: str) -> StoreError:
    cause = getattr(error, "orig", None) or error
    message = _first_line(cause)
    if isinstance(cause, CodecError):
        mend = "run `watcher sync --restart`, or restore a copy of the database"
        return StoreError(f"a record does not fit: {message}", where=where, mend=mend)
    lowered = message.lower()
    for part, what, mend in _MENDS:
        if part in lowered:
            return StoreError(what, where=where, mend=mend)
    return StoreError(f"the database failed: {message}", where=where, mend="see `watcher doctor`")


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says, not at first DML
    _write_ahead(connection)
    for pragma in ("foreign_keys=ON", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """WAL mode. The switch of a new file does not wait for others at the same switch, so a refused
    one waits for their transactions and is tried again.
    """
    for _ in range(_SWITCHES):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("COMMIT")
        else:
            return
    connection.execute("PRAGMA journal_mode=WAL")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("watcher_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
