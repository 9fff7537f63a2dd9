"""A store of its own for each test: an SQLite file, and a PostgreSQL schema when asked for."""

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from watcher.store.migrate import open_store
from watcher.store.repository import SqlStore

MIGRATIONS = Path(__file__).parents[2] / "migrations"


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/watcher.db"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request: pytest.FixtureRequest, file_url: str) -> Iterator[str]:
    if request.param == "sqlite":
        yield file_url
        return
    server = os.environ.get("WATCHER_TEST_POSTGRESQL")
    if not server:
        pytest.skip("WATCHER_TEST_POSTGRESQL names no server")
    address = make_url(server).set(drivername="postgresql+psycopg")
    schema = f"watcher_{uuid.uuid4().hex}"
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    own = address.update_query_dict({"options": f"-c search_path={schema}"})
    yield own.render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, made once and copied: migrating takes longer than most tests."""
    file = tmp_path_factory.mktemp("store") / "empty.db"
    open_store(f"sqlite:///{file}", MIGRATIONS).close()
    return file


@pytest.fixture
def store(url: str, empty_file: Path, tmp_path: Path) -> Iterator[SqlStore]:
    if url.startswith("sqlite"):
        shutil.copy(empty_file, tmp_path / "watcher.db")
    opened = open_store(url, MIGRATIONS)
    yield opened
    opened.close()
