"""What ``watcher doctor`` says of a GitHub token: only what GitHub itself says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.cli.conftest import Outcome, Watcher
from tests.fake_github import FakeGitHub, Reply, json_reply
from tests.fake_github_http import served
from tests.stories import Project


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub()


def examined(watcher: Watcher, tmp_path: Path, github: FakeGitHub) -> Outcome:
    upstream = GitRepo(tmp_path / "upstream")
    upstream.commit({"engine/step.py": "pass\n"}, "first")
    upstream.tag("v1.0.0")
    project = Project(tmp_path / "project", upstream).configure("v1.0.0")
    config = project.directory / "watcher.toml"
    with served(github) as address:
        config.write_text(config.read_text().replace('api = "off"', f'api = "{address}"'))
        return watcher("--config", config, "doctor")


def test_a_token_is_told_with_what_github_leaves_it(
    watcher: Watcher, tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_x")
    core = {"limit": 5000, "remaining": 4990, "used": 10, "reset": 1}
    answer = {"resources": {"core": core, "search": core, "graphql": core}, "rate": core}
    github.faults.append(json_reply(200, answer, {}))

    outcome = examined(watcher, tmp_path, github)

    assert "GitHub token: accepted, 4,990 of 5,000 requests left this hour" in outcome.out


def test_a_token_that_github_refuses_is_found_before_the_sync(
    watcher: Watcher, tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_expired")
    github.faults.append(json_reply(401, {"message": "Bad credentials"}, {}))

    outcome = examined(watcher, tmp_path, github)

    assert "GitHub token: GitHub: refused the token with status 401\n" in outcome.out
    assert "renew GITHUB_TOKEN" in outcome.out
    assert outcome.status == 1
    assert "ghp_expired" not in outcome.out + outcome.err


def test_an_api_that_cannot_be_reached_is_no_fault_of_the_token(
    watcher: Watcher, tmp_path: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_x")
    github.faults.append(Reply(is_dropped=True))

    outcome = examined(watcher, tmp_path, github)

    assert "can be reached from here" in outcome.out
