"""History read by two processes is stored as if one had read it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.benchmarks.made_upstream import make_upstream
from tests.benchmarks.project import BenchProject, Upstream
from tests.benchmarks.shapes import SHAPES, scaled
from watcher.adapters.second_process import WORTH

ALONE = "import os; os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1]);"
RUN = "from watcher.cli.main import main; main()"


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    shape = scaled(SHAPES["verl"], WORTH + 60)
    directory = tmp_path_factory.mktemp("made") / "upstream.git"
    return make_upstream(directory, shape, shape.changes)


def stored(
    directory: Path, upstream: Upstream, program: str
) -> dict[str, list[tuple[object, ...]]]:
    directory.mkdir()
    project = BenchProject.make(directory, upstream, upstream.before(WORTH + 50))
    subprocess.run(
        [sys.executable, "-c", program, "--quiet", "sync"], cwd=project.directory, check=True
    )
    (index,) = project.directory.rglob("*.index")
    return rows(project.directory / "watcher.db", ["change", "change_file", "links"]) | rows(
        index, ["documents", "vocabulary", "lengths"]
    )


def rows(file: Path, tables: list[str]) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(file)) as connection:
        return {table: sorted(connection.execute(f"SELECT * FROM {table}")) for table in tables}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_two_processes_store_what_one_stores(upstream: Upstream, tmp_path: Path) -> None:
    shared = stored(tmp_path / "two", upstream, RUN)

    assert len(shared["change"]) == WORTH + 50
    assert shared == stored(tmp_path / "one", upstream, ALONE + RUN)
