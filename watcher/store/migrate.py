"""Opening a store: create it, upgrade it after a copy, or refuse one from a newer watcher.

A database at ``HEAD_REVISION`` is recognised by one select, and an empty one is given the newest
tables at once; Alembic is imported only to upgrade one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, inspect, text

from watcher.errors import StoreError
from watcher.store.engine import (
    BUSY_SECONDS,
    database_file,
    make_engine,
    mapped,
    reading,
    shown,
    writing,
)
from watcher.store.repository import SqlStore

if TYPE_CHECKING:
    from alembic.config import Config

HEAD_REVISION: Final = "0001"
"""The newest migration, as a constant, so that opening a current database needs no Alembic."""
_REVISION_TABLE: Final = "alembic_version"


def open_store(url: str, migrations: Path, *, busy_seconds: float = BUSY_SECONDS) -> SqlStore:
    """The store at a database address, created or upgraded when needed.

    ``migrations`` is the directory of the Alembic scripts; ``busy_seconds`` how long a writer
    waits for another one. Raises StoreError.
    """
    engine = make_engine(url, busy_seconds=busy_seconds)
    try:
        if revision_of(engine) != HEAD_REVISION:
            _bring_up(engine, migrations)
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(engine)


def revision_of(engine: Engine) -> str | None:
    """The revision that a database is at, or None for one without watcher's tables."""
    with reading(engine) as connection:
        return _revision(connection)


def backup_path(file: Path, revision: str) -> Path:
    """Where the copy lies that is made before an upgrade from a revision."""
    return file.with_name(f"{file.name}.bak-{revision}")


def copy_database(file: Path, target: Path) -> None:
    """A consistent copy of an SQLite file, also while others write. Raises StoreError."""
    beside = target.with_name(f"{target.name}.part")
    try:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(beside)) as copy:
            source.backup(copy)
        beside.replace(target)
    except (sqlite3.Error, OSError) as error:
        beside.unlink(missing_ok=True)
        raise StoreError(
            f"cannot be copied: {error}",
            where=str(target),
            mend="free some space, or give write permission",
        ) from error


def _bring_up(engine: Engine, migrations: Path) -> None:
    with _migrating(engine) as connection:
        revision = _revision(connection)  # again: another process may have come first
        if revision == HEAD_REVISION:
            return
        if revision is None:
            _refuse_strangers(connection)
            _create(connection)
            return
        config = _config(migrations, connection)
        _refuse_newer(revision, config, shown(engine.url))
        file = database_file(engine.url)
        if file is not None:
            copy_database(file, backup_path(file, revision))
        from alembic import command

        command.upgrade(config, HEAD_REVISION)


def _create(connection: Connection) -> None:
    """The newest tables in an empty database, as all migrations would leave them (a test compares
    the two).
    """
    from watcher.store.schema import METADATA

    METADATA.create_all(connection)
    revisions = Table(
        _REVISION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True)
    )
    revisions.create(connection)
    connection.execute(revisions.insert(), {"version_num": HEAD_REVISION})


@contextmanager
def _migrating(engine: Engine) -> Iterator[Connection]:
    """A write transaction in which tables may be rebuilt: SQLite's foreign keys are off."""
    if engine.dialect.name != "sqlite":
        with writing(engine, "migrate") as connection:
            yield connection
        return
    writer = engine.execution_options(watcher_writes=True)
    with mapped(engine), writer.connect() as connection:
        _set_foreign_keys(connection, "OFF")
        with connection.begin():
            yield connection
        _set_foreign_keys(connection, "ON")


def _set_foreign_keys(connection: Connection, value: str) -> None:
    """Past SQLAlchemy, which would begin a transaction: inside one SQLite ignores the pragma."""
    driver = connection.connection.driver_connection
    if driver is not None:
        driver.execute(f"PRAGMA foreign_keys={value}")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_REVISION_TABLE):
        return None
    found: str | None = connection.scalar(text(f"SELECT version_num FROM {_REVISION_TABLE}"))  # noqa: S608  a constant
    return found


def _refuse_strangers(connection: Connection) -> None:
    tables = inspect(connection).get_table_names()
    if tables:
        raise StoreError(
            f"holds tables of another program ({', '.join(sorted(tables)[:3])})",
            where=shown(connection.engine.url),
            mend="point store.url at a database of its own",
        )


def _refuse_newer(revision: str, config: Config, where: str) -> None:
    from alembic.script import ScriptDirectory

    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if revision not in known:
        raise StoreError(
            f"was written by a newer watcher (revision {revision}, this one knows {HEAD_REVISION})",
            where=where,
            mend="upgrade watcher, or restore the copy made before the upgrade",
        )


def _config(migrations: Path, connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
