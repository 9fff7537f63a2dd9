"""What pages say when nothing is synced, or when the user's files cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.builders import GitRepo, git_environment
from tests.stories import Project, SilentProgress
from tests.web.dangers import Page
from watcher.demonstration import example
from watcher.ports.delivery import Delivery
from watcher.web.app import create


@pytest.fixture
def project(tmp_path: Path) -> Project:
    repo = GitRepo(tmp_path / "upstream")
    repo.squash("Start", 1, {"a.py": "A = 1\n"})
    repo.tag("v1.0")
    repo.squash("fix: crash", 2, {"a.py": "A = 2\n"})
    return Project(tmp_path / "project", repo).write("run.sh", "python -m engine\n")


def test_before_the_first_sync_every_page_says_so(project: Project) -> None:
    project.configure("v1.0")

    with TestClient(create(project.app), base_url="http://localhost") as client:
        for address in ("/", "/list"):
            answer = client.get(address)
            assert answer.status_code == 200
        assert "run `watcher sync`" in Page(client.get("/").text).words
        assert "never synced" in Page(client.get("/list").text).words
        assert client.get("/upgrade/engine").status_code == 400
        assert client.get("/item/engine%232").status_code == 404
        assert client.get("/readyz").status_code == 200
    project.close()


def test_a_file_that_went_away_is_named_with_its_mend(project: Project) -> None:
    project.configure("v1.0", usage='config = ["run.sh"]').sync()
    (project.directory / "run.sh").unlink()

    with TestClient(create(project.app), base_url="http://localhost") as client:
        page = client.get("/list")
        api = client.get("/api/v1/list")

    assert (page.status_code, api.status_code) == (503, 503)
    assert "run.sh" in Page(page.text).words
    assert "run.sh" in api.json()["error"]["what"]
    assert api.json()["error"]["mend"]
    project.close()


def test_an_unresolved_pin_is_shown_with_its_reason(project: Project) -> None:
    project.configure("v1.0").sync()
    project.configure("v9.9")

    with TestClient(create(project.app), base_url="http://localhost") as client:
        told = Page(client.get("/").text).words

    assert "Not resolved" in told
    project.close()


def test_a_message_that_was_given_up_is_told_on_the_front_page(tmp_path: Path) -> None:
    with example(git_environment(), tmp_path) as app:
        app.sync(SilentProgress())
        now = app.clock.now()
        app.store.add_delivery(
            Delivery(
                key="slack:2026-03-01",
                channel="slack",
                payload="{}",
                state="given-up",
                attempts=6,
                next_try_at=None,
                created_at=now,
                error="<b>no_service</b>",
            )
        )
        with TestClient(create(app), base_url="http://localhost") as reader:
            page = reader.get("/").text

    assert "given up after 6 tries" in page
    assert "&lt;b&gt;no_service" in page
