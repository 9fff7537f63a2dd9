"""The pages over the embedded example, and over an upstream that means harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.builders import GitRepo, git_environment
from tests.stories import Project, SilentProgress
from watcher.app import App
from watcher.demonstration import example
from watcher.web.app import create

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="session")
def demo_app() -> Iterator[App]:
    """The example, synced."""
    with example(git_environment()) as app:
        app.sync(SilentProgress())
        yield app


@pytest.fixture(scope="module")
def client(demo_app: App) -> Iterator[TestClient]:
    """A reader of the example's pages."""
    with TestClient(create(demo_app), base_url="http://localhost") as reader:
        yield reader


def hostile_project(directory: Path) -> Project:
    """An upstream whose every text tries to break out of the page that shows it."""
    repo = GitRepo(directory / "upstream")
    odd = "src/<img src=x onerror=alert(1)>.py"
    repo.squash("Start", 1, {odd: "def run(x):\n    return x\n", "src/a.py": "A = 1\n"})
    start = repo.sha()
    repo.branch('release/"><svg/onload=alert(1)>', start)
    repo.switch("main")
    repo.squash(
        f'[fsdp] fix: {EVIL} crash "onmouseover="alert(1)" \u202egnp.exe',
        2,
        {odd: f"def run(x):\n    # {EVIL} </code></pre>{EVIL}\n    return x + 1\n"},
        body=(
            f"RuntimeError: {EVIL} went wrong\n\n[click](javascript:alert(1)) ![x](http://evil.example/x.png)"
            f"\n\n<iframe src=//evil.example></iframe> <b onclick=alert(1)>b</b> {EVIL}\n\n"
            "[a](https://example.org/ok) <https://example.org>\n\n# heading\n\n`code`"
        ),
    )
    repo.squash(
        "[fsdp] fix: another crash in run", 3, {"src/a.py": "A = 2\n"}, body="Follow-up to #2"
    )
    project = Project(directory / "project", repo)
    project.configure(start, usage=f'paths = ["{odd}", "src/a.py"]')
    project.sync()
    return project


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A reader of the pages about an upstream that means harm."""
    project = hostile_project(tmp_path_factory.mktemp("hostile"))
    with TestClient(create(project.app), base_url="http://localhost") as reader:
        yield reader
    project.close()
