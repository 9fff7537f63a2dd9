"""Opening: created, upgraded after a copy, or refused in one line."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, inspect

from tests.builders import make_change, make_walk
from tests.store.conftest import MIGRATIONS
from watcher.errors import StoreError
from watcher.store.engine import make_engine
from watcher.store.migrate import HEAD_REVISION, backup_path, open_store, revision_of
from watcher.store.repository import SqlStore
from watcher.store.schema import METADATA

OLDER = """
import sqlalchemy as sa
from alembic import op

revision = "0000"
down_revision = None


def upgrade():
    op.create_table("early", sa.Column("word", sa.Text(), nullable=False))
    op.execute("INSERT INTO early VALUES ('kept')")
"""


def run(file: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as raw, raw:
        return raw.execute(sql).fetchall()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "watcher.db"


@pytest.fixture
def older_migrations(tmp_path: Path) -> Path:
    """Our migrations with an earlier one in front."""
    copy = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    first = next((copy / "versions").glob("0001*.py"))
    first.write_text(first.read_text().replace("down_revision = None", 'down_revision = "0000"'))
    (copy / "versions" / "0000_early.py").write_text(OLDER)
    return copy


def test_a_new_database_is_what_all_migrations_make_of_an_empty_one(url: str) -> None:
    engine = make_engine(url)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == []
        migrated = shape_of(connection)
        every = MetaData()
        every.reflect(connection)
        every.drop_all(connection)
    engine.dispose()

    store = open_store(url, MIGRATIONS)

    assert revision_of(store.engine) == HEAD_REVISION
    with store.engine.connect() as connection:
        assert shape_of(connection) == migrated
    store.close()


def shape_of(connection: Connection) -> dict[str, list[object]]:
    """Everything that a database tells of its tables."""
    found = inspect(connection)
    return {
        table: [
            [{**column, "type": repr(column["type"])} for column in found.get_columns(table)],
            found.get_pk_constraint(table)["constrained_columns"],
            sorted(found.get_indexes(table), key=lambda index: str(index["name"])),
            found.get_foreign_keys(table),
            found.get_unique_constraints(table),
            found.get_check_constraints(table),
        ]
        for table in found.get_table_names()
    }


def test_the_newest_revision_is_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))

    assert ScriptDirectory.from_config(config).get_heads() == [HEAD_REVISION]


def test_a_current_database_opens_without_alembic(file_url: str) -> None:
    open_store(file_url, MIGRATIONS).close()
    program = (
        "import sys; from pathlib import Path; from watcher.store.migrate import open_store;"
        f"open_store({file_url!r}, Path({str(MIGRATIONS)!r})).walk('a/b');"
        "print('alembic' in sys.modules)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )

    assert done.stdout.strip() == "False", done.stderr


def test_an_older_database_is_copied_then_upgraded_and_keeps_its_rows(
    file: Path, file_url: str, older_migrations: Path
) -> None:
    run(file, "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
    run(file, "INSERT INTO alembic_version VALUES ('0000')")
    run(file, "CREATE TABLE early (word TEXT NOT NULL)")
    run(file, "INSERT INTO early VALUES ('mine')")

    open_store(file_url, older_migrations).close()

    copy = backup_path(file, "0000")
    assert run(file, "SELECT * FROM early") == [("mine",)]
    assert run(file, "SELECT * FROM alembic_version") == [(HEAD_REVISION,)]
    assert run(file, "SELECT count(*) FROM change") == [(0,)]
    assert run(copy, "SELECT * FROM alembic_version") == [("0000",)]
    assert run(copy, "SELECT * FROM early") == [("mine",)]


def test_a_failed_upgrade_leaves_the_old_database(
    file: Path, file_url: str, older_migrations: Path
) -> None:
    run(file, "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
    run(file, "INSERT INTO alembic_version VALUES ('0000')")
    run(file, "CREATE TABLE links (taken TEXT)")

    with pytest.raises(StoreError, match="already exists"):
        open_store(file_url, older_migrations)

    assert run(file, "SELECT * FROM alembic_version") == [("0000",)]
    assert run(file, "SELECT name FROM sqlite_master WHERE name = 'change'") == []


def test_a_database_of_a_newer_watcher_is_refused_and_untouched(file: Path, file_url: str) -> None:
    open_store(file_url, MIGRATIONS).close()
    run(file, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(StoreError, match="newer watcher"):
        open_store(file_url, MIGRATIONS)

    assert run(file, "SELECT * FROM alembic_version") == [("9999",)]


def test_the_database_of_another_program_is_refused(file: Path, file_url: str) -> None:
    run(file, "CREATE TABLE orders (id INTEGER)")

    with pytest.raises(StoreError, match=r"another program \(orders\)"):
        open_store(file_url, MIGRATIONS)


def test_processes_that_create_it_at_once_both_get_it(url: str) -> None:
    opened: list[SqlStore] = []
    threads = [Thread(target=lambda: opened.append(open_store(url, MIGRATIONS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    opened[0].save_walk(make_walk(1), [make_change(1)], list, restart=False)

    assert [len(store.changes("acme/engine")) for store in opened] == [1, 1, 1, 1]
    for store in opened:
        store.close()


def test_a_database_in_memory_lives_as_long_as_its_store() -> None:
    store = open_store("sqlite://", MIGRATIONS)

    store.save_walk(make_walk(1), [make_change(1)], list, restart=False)

    assert store.changes("acme/engine") == [make_change(1)]
    store.close()


def test_foreign_keys_are_on_after_an_upgrade(file_url: str) -> None:
    store = open_store(file_url, MIGRATIONS)

    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    store.close()
