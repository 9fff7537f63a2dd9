"""The command line run in process, on the embedded example and on small projects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import git_environment
from tests.stories import SilentProgress
from watcher.cli.main import run
from watcher.demonstration import example


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    status: int
    out: str
    err: str

    @property
    def first(self) -> str:
        """The first line of the results."""
        return self.out.partition("\n")[0]


Watcher = Callable[..., Outcome]


@pytest.fixture(scope="session")
def example_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration of the example, synced once. Tests only read it."""
    directory = tmp_path_factory.mktemp("example")
    with example(git_environment(), directory) as app:
        app.sync(SilentProgress())
    return directory / "project" / "watcher.toml"


@pytest.fixture
def watcher(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Watcher:
    """Runs a command line in process, in a terminal of 100 columns without colours."""
    for name, value in git_environment().items():
        monkeypatch.setenv(name, value)
    for name in [one for one in os.environ if one.startswith(("WATCHER_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")

    def call(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        status = run([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return Outcome(status, out, err)

    return call


@pytest.fixture
def on_example(watcher: Watcher, example_config: Path) -> Watcher:
    """Runs a command line on the example."""
    return lambda *arguments: watcher("--config", example_config, *arguments)


@contextmanager
def standing_in(directory: Path) -> Iterator[None]:
    """In another working directory for a while."""
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
