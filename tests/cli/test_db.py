"""``watcher db`` and what ``watcher doctor`` says of the store."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.cli.conftest import Watcher


def test_the_store_tells_its_place_its_size_and_what_it_holds(on_example: Watcher) -> None:
    outcome = on_example("db", "info")

    assert outcome.status == 0
    assert "watcher.db, " in outcome.first
    assert outcome.first.endswith(("kB", "MB"))
    assert "example/rltrain: at " in outcome.out


def test_a_copy_is_whole_and_overwrites_nothing(on_example: Watcher, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"

    first, second = on_example("db", "backup", copy), on_example("db", "backup", copy)

    assert (first.status, second.status) == (0, 1)
    assert "is there already (name another file)" in second.err
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM change").fetchone() != (0,)
    connection.close()


def test_a_deep_look_reads_the_store_and_the_mirrors(on_example: Watcher) -> None:
    outcome = on_example("doctor", "--deep")

    assert outcome.status == 0, outcome.out
    assert "watcher.db, 1 upstream known" in outcome.out
