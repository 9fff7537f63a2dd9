"""From GitHub's words to fuller changes, on a real repository and the fake GitHub."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.fake_github import FakeGitHub
from tests.fake_github_records import Repository
from tests.github_stories import Quiet, session_with
from tests.stories import Project
from watcher.facts.change import Change
from watcher.facts.kind import State
from watcher.history.judgement import Landed, Standing, judge_issue
from watcher.pipeline.bring_words import bring_words, work_in_words
from watcher.pipeline.words import WordsResult
from watcher.ports.change_filter import ChangeFilter

NAME = "acme/engine"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def upstream(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "upstream")
    repo.commit({"engine/core.py": "def run(x):\n    return x\n"}, "Start")
    return repo


@pytest.fixture
def project(tmp_path: Path, upstream: GitRepo) -> Project:
    return Project(tmp_path / "project", upstream, name=NAME)


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub()


@pytest.fixture
def engine(github: FakeGitHub) -> Repository:
    return github.repository(NAME)


def land(upstream: GitRepo, number: int, title: str, text: str) -> str:
    return upstream.squash(title, number, {"engine/core.py": f"def run(x):\n    return {text}\n"})


def bring(project: Project, github: FakeGitHub) -> WordsResult:
    app = project.app
    result = bring_words(
        app.followed(NAME), app.store, session_with(github), since=LONG_AGO, progress=Quiet()
    )
    assert result is not None
    return result


def change(project: Project, number: int) -> Change:
    (found,) = project.app.store.changes(NAME, ChangeFilter(numbers=(number,)))
    return found


def test_a_bare_commit_gets_its_description_labels_and_closing_reference(
    project: Project, upstream: GitRepo, github: FakeGitHub, engine: Repository
):
    pin = land(upstream, 1, "feat: run", "x + 1")
    land(upstream, 2, "Restore buffers", "x + 2")
    engine.open_issue(7, "Buffers vanish", opened_at=LONG_AGO, at=LONG_AGO)
    engine.add_pull(
        2, "Restore buffers", "Buffers vanish after sleeping.", labels=["lora"], closes=[7]
    )
    project.configure(pin).sync()

    bring(project, github)

    fuller = change(project, 2)
    assert "vanish after sleeping" in fuller.message.body
    assert (fuller.labels, fuller.message.closes) == (("lora",), (7,))
    assert fuller.diff.files[0].path == "engine/core.py"
    (issue,) = project.app.store.issues(NAME)
    assert judge_issue(issue, Landed([fuller], {})).standing is Standing.MENDED


def test_the_description_can_be_searched_for(
    project: Project, upstream: GitRepo, github: FakeGitHub, engine: Repository
):
    pin = land(upstream, 1, "feat: run", "x + 1")
    land(upstream, 2, "Restore buffers", "x + 2")
    engine.add_pull(2, "Restore buffers", "Hibernation loses everything.")
    project.configure(pin).sync()

    bring(project, github)

    (document,) = project.app.followed(NAME).index.documents([change(project, 2).sha])
    assert "hibern" in str(project.app.followed(NAME).index.documents([document])[document])


def test_a_shared_issue_makes_a_family_once_github_tells_it(
    project: Project, upstream: GitRepo, github: FakeGitHub, engine: Repository
):
    pin = land(upstream, 1, "feat: run", "x + 1")
    land(upstream, 2, "fix: restore buffers", "x + 2")
    land(upstream, 3, "fix: also when saving", "x + 3")
    engine.open_issue(7, "Buffers vanish", opened_at=LONG_AGO, at=LONG_AGO)
    engine.add_pull(2, closes=[7])
    engine.add_pull(3, closes=[7])
    project.configure(pin).sync()

    bring(project, github)

    links = project.app.store.links(NAME)
    assert len(links[change(project, 2).sha].family) == 2


def test_words_that_were_stored_before_a_crash_are_worked_in_later(
    project: Project, upstream: GitRepo, github: FakeGitHub, engine: Repository
):
    pin = land(upstream, 1, "feat: run", "x + 1")
    land(upstream, 2, "Restore buffers", "x + 2")
    engine.add_pull(2, body="Buffers vanish after sleeping.")
    project.configure(pin).sync()
    store = project.app.store
    for batch in session_with(github).pull_requests(NAME, [2]):
        store.save_words(batch.words)
    walk = store.walk(NAME)
    assert walk is not None

    bring(project, github)

    assert change(project, 2).has_words
    assert work_in_words(project.app.followed(NAME), store, walk) == 0


def test_the_next_sync_of_git_keeps_the_words(
    project: Project, upstream: GitRepo, github: FakeGitHub, engine: Repository
):
    pin = land(upstream, 1, "feat: run", "x + 1")
    land(upstream, 2, "Restore buffers", "x + 2")
    engine.add_pull(2, body="Buffers vanish after sleeping.")
    project.configure(pin).sync()
    bring(project, github)
    land(upstream, 3, "fix: more", "x + 3")

    project.sync()

    assert "vanish" in change(project, 2).message.body
    assert not change(project, 3).has_words


def test_bug_reports_are_found_by_their_words(
    project: Project, upstream: GitRepo, github: FakeGitHub, engine: Repository
):
    pin = land(upstream, 1, "feat: run", "x + 1")
    engine.open_issue(7, "[Bug] Buffers vanish", 'File "a.py", line 2, in f\nKeyError: 1')
    project.configure(pin).sync()

    result = bring(project, github)

    assert result.issues == (7,)
    assert project.app.store.issues(NAME)[0].state is State.OPEN
    assert project.app.followed(NAME).index.documents(["#7"])
