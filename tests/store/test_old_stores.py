"""What an earlier version wrote is all there after an upgrade, also when the upgrade was killed."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from tests.store.old_stores import SCHEMAS, content, fill, filled, load
from tests.store.test_open import OLDER
from watcher.store.migrate import HEAD_REVISION, backup_path, open_store, revision_of
from watcher.store.schema import METADATA
from watcher.store.upkeep import problems_of

ROOT = Path(__file__).parents[2]
MIGRATIONS = ROOT / "migrations"
DUMPS = sorted(SCHEMAS.glob("*.sql"))


def rows(file: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as raw:
        return raw.execute(f'SELECT * FROM "{table}"').fetchall()


def test_every_schema_that_ever_was_has_its_dump() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}

    assert known == {dump.stem for dump in DUMPS}


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_store_of_an_earlier_schema_opens_with_all_that_it_holds(
    dump: Path, tmp_path: Path
) -> None:
    file = tmp_path / "old.db"
    load(dump.read_text(encoding="utf-8"), file)

    with closing(open_store(f"sqlite:///{file}", MIGRATIONS)) as store:
        held = content(store)
        assert revision_of(store.engine) == HEAD_REVISION
        assert problems_of(store) == []
        fill(store)

    assert held == filled(tmp_path / "new.db")
    assert backup_path(file, dump.stem).exists() is (dump.stem != HEAD_REVISION)


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_dump_has_a_row_in_every_table_of_its_schema(dump: Path, tmp_path: Path) -> None:
    load(dump.read_text(encoding="utf-8"), tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db")) as raw:
        names = [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type='table'")]

    assert [name for name in names if not rows(tmp_path / "old.db", name)] == []
    assert dump.stem != HEAD_REVISION or set(names) == {*METADATA.tables, "alembic_version"}


@pytest.mark.parametrize(
    "step", [pytest.param(6, id="some"), pytest.param(1, id="each", marks=pytest.mark.slow)]
)
def test_a_migration_killed_at_any_statement_is_done_by_the_next_start(
    tmp_path: Path, step: int
) -> None:
    older = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, older, ignore=shutil.ignore_patterns("__pycache__"))
    first = next((older / "versions").glob("0001*.py"))
    first.write_text(first.read_text().replace("down_revision = None", 'down_revision = "0000"'))
    (older / "versions" / "0000_early.py").write_text(OLDER)
    points = [str(number) for number in range(0, 49, step)]
    for point in points:
        with closing(sqlite3.connect(tmp_path / f"{point}.db")) as raw, raw:
            raw.executescript(
                "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY);"
                "INSERT INTO alembic_version VALUES ('0000');"
                "CREATE TABLE early (word TEXT NOT NULL); INSERT INTO early VALUES ('mine');"
            )
    command = [sys.executable, "-m", "tests.store.killed_migration", str(older)]
    done = subprocess.run(
        [*command, f"sqlite:///{tmp_path}/POINT.db", *points],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    ended = [int(line) for line in done.stdout.split()]

    assert ended.count(-signal.SIGKILL) >= 24 // step, "it dies at many statements"
    assert ended[-1] == 0, "there are no more statements"
    for point, status in zip(points, ended, strict=True):
        file = tmp_path / f"{point}.db"
        told = rows(file, "alembic_version")
        assert told == [("0000",)] if status else [(HEAD_REVISION,)], "all of it or nothing"
        with closing(open_store(f"sqlite:///{file}", older)) as store:
            assert revision_of(store.engine) == HEAD_REVISION
            assert problems_of(store) == []
        assert rows(file, "early") == [("mine",)]
        assert rows(backup_path(file, "0000"), "early") == [("mine",)]
