"""State, check, copy and compaction of a store."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import make_change, make_walk
from tests.store.conftest import MIGRATIONS
from watcher.errors import StoreError
from watcher.store.migrate import HEAD_REVISION, open_store
from watcher.store.repository import SqlStore
from watcher.store.upkeep import copy_store, problems_of, state_of


@pytest.fixture
def filled(store: SqlStore) -> SqlStore:
    changes = (make_change(n, body="word " * 400) for n in range(1, 101))
    store.save_walk(make_walk(100), changes, list, restart=False)
    return store


def test_the_state_tells_what_is_held(filled: SqlStore) -> None:
    state = state_of(filled)

    assert state.is_current
    assert state.revision == HEAD_REVISION
    assert dict(state.rows)["change"] == 100
    assert dict(state.rows)["issue"] == 0
    assert (state.size_bytes is None) == (state.backend != "sqlite")


def test_a_sound_store_has_no_problems(filled: SqlStore) -> None:
    assert problems_of(filled) == []


def test_a_broken_reference_is_found(tmp_path: Path, file_url: str) -> None:
    with closing(open_store(file_url, MIGRATIONS)) as store:
        with closing(sqlite3.connect(tmp_path / "watcher.db")) as raw, raw:
            raw.execute("INSERT INTO change_file VALUES (77, 'a.py')")

        assert problems_of(store) == ["1 rows refer to others that are not there"]


def test_a_copy_opens_as_a_store_of_its_own(tmp_path: Path, file_url: str) -> None:
    copy = tmp_path / "copy.db"
    with closing(open_store(file_url, MIGRATIONS)) as store:
        store.save_walk(make_walk(1), [make_change(1)], list, restart=False)
        copy_store(store.engine.url, copy)

    with closing(open_store(f"sqlite:///{copy}", MIGRATIONS)) as store:
        assert store.changes("acme/engine") == [make_change(1)]


def test_a_copy_never_overwrites(tmp_path: Path, file_url: str) -> None:
    (tmp_path / "copy.db").write_text("mine")

    with closing(open_store(file_url, MIGRATIONS)) as store:  # noqa: SIM117  the store must be open
        with pytest.raises(StoreError, match="is there already"):
            copy_store(store.engine.url, tmp_path / "copy.db")
