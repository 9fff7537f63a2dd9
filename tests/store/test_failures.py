"""What breaks a database gives one line with its mend, and never half a state."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace
from sqlalchemy import event

from tests.builders import make_change, make_issue, make_walk
from tests.store.conftest import MIGRATIONS
from watcher.errors import StoreError
from watcher.facts.change import Change
from watcher.facts.links import Links
from watcher.store.migrate import open_store
from watcher.store.repository import SqlStore

UPSTREAM = "acme/engine"


def told(error: pytest.ExceptionInfo[StoreError]) -> str:
    """The line a user reads."""
    line = str(error.value)
    assert "\n" not in line
    assert error.value.mend
    return line


def test_a_file_that_is_no_database(tmp_path: Path, file_url: str) -> None:
    (tmp_path / "watcher.db").write_bytes(b"PK\x03\x04 this is something else " * 200)

    with pytest.raises(StoreError) as error:
        open_store(file_url, MIGRATIONS)

    assert "watcher.db: this is not an SQLite database" in told(error)


def test_a_damaged_database(tmp_path: Path, file_url: str) -> None:
    with closing(open_store(file_url, MIGRATIONS)) as store:
        changes = (make_change(n) for n in range(200))
        store.save_walk(make_walk(1), changes, list, restart=False)
    file = tmp_path / "watcher.db"
    content = bytearray(file.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    file.write_bytes(content)

    with pytest.raises(StoreError) as error, closing(open_store(file_url, MIGRATIONS)) as store:
        store.changes(UPSTREAM)

    assert "damaged" in told(error)


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as error:
        open_store(f"sqlite:///{tmp_path}/nowhere/watcher.db", MIGRATIONS)

    assert "cannot be opened" in told(error)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "mongodb://localhost/x",
        "sqlite+nothing:///x",
        "postgres://h/d",
        "postgresql://h:secret@host:port/d",
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(StoreError) as error:
        open_store(url, MIGRATIONS)

    assert "not a database address" in told(error)
    assert "secret" not in told(error)


def test_a_server_that_does_not_answer_and_whose_password_stays_hidden() -> None:
    with pytest.raises(StoreError) as error:
        open_store("postgresql://watcher:secret@127.0.0.1:1/watcher", MIGRATIONS)

    assert "does not answer" in told(error)
    assert "secret" not in told(error)


def test_a_database_that_may_only_be_read_is_read_but_not_written(
    tmp_path: Path, file_url: str
) -> None:
    with closing(open_store(file_url, MIGRATIONS)) as store:
        store.save_cursor("issues", "page 2")
    read_only = f"sqlite:///file:{tmp_path}/watcher.db?mode=ro&uri=true"

    with closing(open_store(read_only, MIGRATIONS)) as store:
        assert store.cursor("issues") == "page 2"
        with pytest.raises(StoreError) as error:
            store.save_cursor("issues", "page 3")

    assert "cannot be written" in told(error)


def test_a_full_disk_loses_nothing(file_url: str) -> None:
    store = open_store(file_url, MIGRATIONS)
    store.save_walk(make_walk(1), [make_change(1)], list, restart=False)
    store.close()

    @event.listens_for(store.engine, "connect")
    def limit(connection: sqlite3.Connection, _record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")

    many = (make_change(n, body="word " * 500) for n in range(2, 600))
    with pytest.raises(StoreError) as error:
        store.save_walk(make_walk(600), many, list, restart=True)

    assert "disk is full" in told(error)
    assert store.walk(UPSTREAM) == make_walk(1)
    assert [change.number for change in store.changes(UPSTREAM)] == [1]
    store.close()


def test_a_temporary_directory_that_cannot_be_used(
    store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))

    with pytest.raises(StoreError) as error:
        store.save_walk(make_walk(1), [make_change(1)], list, restart=False)

    assert "gone: new changes cannot be set aside" in told(error)


def test_a_number_beyond_every_column(store: SqlStore) -> None:
    with pytest.raises(StoreError) as error:
        store.save_issues([replace(make_issue(1), number=2**70)])
    assert told(error)

    with pytest.raises(StoreError) as error:
        store.save_walk(make_walk(1), [make_change(1, position=2**70)], list, restart=False)
    assert told(error)


@pytest.fixture
def writer(tmp_path: Path, file_url: str) -> Iterator[sqlite3.Connection]:
    """Another process's connection, in the middle of writing."""
    open_store(file_url, MIGRATIONS).close()
    with closing(sqlite3.connect(tmp_path / "watcher.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO cursor VALUES ('theirs', 'page 1')")
        yield connection


@pytest.mark.usefixtures("writer")
def test_a_second_writer_says_that_another_one_writes_and_readers_read_on(file_url: str) -> None:
    with closing(open_store(file_url, MIGRATIONS, busy_seconds=0.05)) as store:
        with pytest.raises(StoreError) as error:
            store.save_cursor("issues", "page 2")
        assert store.cursor("theirs") is None

    assert "another watcher is writing" in told(error)


def test_a_second_writer_waits_for_the_first(file_url: str, writer: sqlite3.Connection) -> None:
    with closing(open_store(file_url, MIGRATIONS)) as store:
        waiting = Thread(target=store.save_cursor, args=("issues", "page 2"))
        waiting.start()

        writer.execute("COMMIT")
        waiting.join()

        assert store.cursor("issues") == "page 2"
        assert store.cursor("theirs") == "page 1"


def kill_points(urls: dict[str, str]) -> dict[str, int]:
    """Exit status of one process for each point, killed there in the middle of ``save_walk``."""
    program = Path(__file__).with_name("killed_writer.py")
    arguments = [part for point, url in urls.items() for part in (point, url)]
    done = subprocess.run(
        [sys.executable, str(program), str(MIGRATIONS), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(MIGRATIONS.parent)},
    )
    return dict(zip(urls, map(int, done.stdout.split()), strict=True))


def test_a_writer_killed_at_any_point_leaves_the_old_walk_and_the_next_one_completes(
    tmp_path: Path,
) -> None:
    points = ["change-0", "change-501", "links-0", "links-501", "insert-1", "insert-4", "commit"]
    urls = {point: f"sqlite:///{tmp_path}/{point}.db" for point in points}
    before = [make_change(n) for n in range(1, 11)]
    after: list[Change] = [make_change(n, title="new") for n in range(5, 525)]
    links = [Links(sha=change.sha, first_release="v2") for change in after]
    with closing(open_store(f"sqlite:///{tmp_path}/template.db", MIGRATIONS)) as store:
        store.save_walk(make_walk(10), before, list, restart=False)
    for point in points:
        shutil.copy(tmp_path / "template.db", tmp_path / f"{point}.db")

    assert set(kill_points(urls).values()) == {9}

    for url in urls.values():
        with closing(open_store(url, MIGRATIONS)) as store:
            assert store.walk(UPSTREAM) == make_walk(10)
            assert store.changes(UPSTREAM) == before
            store.save_walk(make_walk(524), after, lambda: links, restart=False)
            assert store.walk(UPSTREAM) == make_walk(524)
            assert store.changes(UPSTREAM) == before[:4] + after
            assert len(store.links(UPSTREAM)) == 520
