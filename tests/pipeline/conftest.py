"""A project of which digests go out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.delivery_post import Post
from watcher.store.migrate import open_store

MIGRATIONS = Path(__file__).parents[2] / "migrations"


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("store") / "empty.db"
    open_store(f"sqlite:///{file}", MIGRATIONS).close()
    return file


@pytest.fixture
def post(tmp_path: Path, empty_file: Path) -> Iterator[Post]:
    shutil.copy(empty_file, tmp_path / "watcher.db")
    store = open_store(f"sqlite:///{tmp_path}/watcher.db", MIGRATIONS)
    yield Post(store)
    store.close()
