"""Bringing GitHub's words into the store: little asked, nothing lost, what is missing told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fake_github import START, FakeGitHub, Reply, Repository
from tests.github_stories import UPSTREAM, open_store_at, session_with, sync
from watcher.facts.kind import State
from watcher.history.judgement import Landed, Standing, judge_issue
from watcher.pipeline.stored_walks import read_walk, walk_text
from watcher.pipeline.upstream_name import renamed_to
from watcher.ports.issue_walk import IssueWalk, OpenWalk
from watcher.store.repository import SqlStore


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub()


@pytest.fixture
def verl(github: FakeGitHub) -> Repository:
    return github.repository(UPSTREAM)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    opened = open_store_at(tmp_path / "watcher.db")
    yield opened
    opened.close()


def asked(github: FakeGitHub) -> int:
    """Requests since the last time, counted and forgotten."""
    count = len(github.requests)
    github.requests.clear()
    return count


def test_bug_reports_come_in_read_and_others_stay_out(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash", 'File "a.py", line 3, in f\nValueError: no', labels=["bug"])
    verl.open_issue(2, "[Feature] more", "please")

    result = sync(store, session_with(github))

    (issue,) = store.issues(UPSTREAM)
    assert issue.number == 1
    assert issue.errors == ("ValueError: no",)
    assert result.issues == (1,)


def test_an_unchanged_upstream_costs_one_request(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    verl.add_pull(10)
    sync(store, session_with(github), [10])
    asked(github)

    result = sync(store, session_with(github), [10])

    assert asked(github) == 1
    assert (result.issues, result.pull_requests, result.problem) == ((), (), None)


def test_a_day_later_only_what_is_new_is_asked_for(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    for number in range(1, 40):
        verl.open_issue(number, f"[Bug] {number}")
        verl.add_pull(100 + number)
    sync(store, session_with(github), range(101, 140))
    asked(github)
    verl.comment(3)
    verl.add_pull(140, closes=[4])
    verl.open_issue(41, "[Bug] new")

    result = sync(store, session_with(github), range(101, 141))

    assert asked(github) == 2
    assert set(result.issues) == {3, 4, 41}
    assert result.pull_requests == (140,)


def test_an_issue_that_was_closed_meanwhile_is_closed_in_the_store(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    sync(store, session_with(github))
    verl.close(1, by="github-actions[bot]", reason="NOT_PLANNED")

    sync(store, session_with(github))

    (issue,) = store.issues(UPSTREAM)
    assert (issue.state, issue.closed_by_bot) == (State.CLOSED, True)
    assert judge_issue(issue, Landed([], {})).standing is Standing.NOT_MENDED


def test_an_issue_that_a_landed_change_names_comes_in_though_it_is_old_and_no_bug(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(5, "Question", at=START - timedelta(days=90))
    verl.add_pull(10, body="related to #5")

    sync(store, session_with(github), [10])

    (issue,) = store.issues(UPSTREAM)
    assert (issue.number, issue.is_bug) == (5, False)


def test_the_original_of_a_duplicate_comes_in(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(5, "[Bug] first", at=START - timedelta(days=90))
    verl.open_issue(6, "[Bug] again")
    verl.mark_duplicate(6, 5)

    sync(store, session_with(github))

    found = {issue.number: issue for issue in store.issues(UPSTREAM)}
    assert found.keys() == {5, 6}
    assert found[6].duplicate_of == 5


def test_a_pull_request_that_tried_and_one_that_tries_are_linked(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    verl.add_pull(2, "[fsdp] fix: crash", state="CLOSED")
    verl.add_pull(3, "[fsdp] fix: crash again", state="OPEN", closes=[1])
    verl.mention(1, 2)

    sync(store, session_with(github))

    judgement = judge_issue(store.issues(UPSTREAM)[0], Landed([], {}))
    assert (judgement.open_tries, judgement.failed_tries) == ((3,), (2,))


def test_a_pull_request_that_was_given_up_is_known_without_its_issue_moving(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    verl.add_pull(3, "[fsdp] fix: crash", state="OPEN", closes=[1])
    sync(store, session_with(github))
    verl.settle(3, "CLOSED")

    result = sync(store, session_with(github))

    judgement = judge_issue(store.issues(UPSTREAM)[0], Landed([], {}))
    assert (judgement.open_tries, judgement.failed_tries) == ((), (3,))
    assert result.issues == (1,)


def test_links_survive_a_telling_that_has_fewer(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    verl.add_pull(2, state="CLOSED")
    verl.mention(1, 2)
    sync(store, session_with(github))
    verl.add_pull(3, closes=[1])

    sync(store, session_with(github), [3])

    assert store.issues(UPSTREAM)[0].linked_numbers == (2, 3)


def test_numbers_that_github_does_not_know_are_asked_for_once(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    sync(store, session_with(github), [404], named=[405])
    asked(github)

    sync(store, session_with(github), [404], named=[405])

    assert asked(github) == 1


def test_what_github_cannot_answer_is_told_and_tried_again_when_there_is_something_new(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    for number in (10, 11):
        verl.add_pull(number)

    def break_on_ten(_: int) -> None:
        if "n10:" in github.requests[-1].document and len(github.requests) < 9:
            github.faults.append(Reply(502))

    github.before = break_on_ten
    result = sync(store, session_with(github), [10])
    asked(github)
    github.before = lambda count: None
    sync(store, session_with(github), [10])
    unchanged = asked(github)
    sync(store, session_with(github), [10, 11])

    assert result.notes == (f"{UPSTREAM}: GitHub could not answer for #10",)
    assert unchanged == 1
    assert store.words(UPSTREAM).keys() == {10, 11}


def test_very_many_named_issues_come_over_several_syncs(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    old = START - timedelta(days=90)
    for number in range(1, 212):
        verl.open_issue(number, "[Bug] old", at=old, opened_at=old)

    first = sync(store, session_with(github), named=range(1, 212))
    sync(store, session_with(github), named=range(1, 212))

    assert first.notes == (f"{UPSTREAM}: 11 named issues wait for the next sync",)
    assert len(store.issues(UPSTREAM)) == 211


def test_of_a_very_large_upstream_only_labelled_issues_are_read_at_first(
    github: FakeGitHub, store: SqlStore
):
    name = "pytorch/pytorch"
    repository = github.repository(name)
    report = 'File "a.py", line 3, in f\nValueError: no'
    repository.open_issue(1, "crash", report, labels=["module: fsdp"])
    repository.open_issue(2, "crash", report, labels=["oncall: mobile"])
    sync(store, session_with(github), upstream=name)
    first = {issue.number for issue in store.issues(name)}
    repository.open_issue(3, "crash", report)

    sync(store, session_with(github), upstream=name)

    assert first == {1}
    assert {issue.number for issue in store.issues(name)} >= {1, 3}


def test_an_earlier_pin_reads_further_back(github: FakeGitHub, verl: Repository, store: SqlStore):
    verl.open_issue(1, "[Bug] old", at=START - timedelta(days=9))
    verl.open_issue(2, "[Bug] new")
    sync(store, session_with(github))

    sync(store, session_with(github), since=START - timedelta(days=30))

    assert {issue.number for issue in store.issues(UPSTREAM)} == {1, 2}


def test_a_renamed_repository_is_told_and_its_name_stored(github: FakeGitHub, store: SqlStore):
    github.repository("volcengine/verl").open_issue(1, "[Bug] crash")
    github.rename("volcengine/verl", UPSTREAM)

    result = sync(store, session_with(github), upstream="volcengine/verl")

    assert result.notes == (f"volcengine/verl is now {UPSTREAM}: name that in watcher.toml",)
    assert renamed_to(store, "volcengine/verl") == UPSTREAM
    assert store.issues("volcengine/verl")[0].number == 1


def test_a_failure_is_told_and_what_came_before_is_kept(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    github.before = lambda count: setattr(github, "remaining", 0) if count == 2 else None

    result = sync(store, session_with(github), [10])

    assert result.problem is not None
    assert "what was read is kept" in result.problem
    assert len(store.issues(UPSTREAM)) == 1


def test_without_a_token_open_bugs_come_in_and_the_rest_is_told(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    verl.open_issue(1, "[Bug] crash")
    verl.add_pull(10)

    result = sync(store, session_with(github, token=None), [10])

    assert [issue.number for issue in store.issues(UPSTREAM)] == [1]
    (note,) = result.notes
    assert "read without a token; missing: descriptions and labels of 1 changes" in note
    assert "set GITHUB_TOKEN" in note


def test_without_a_token_a_used_up_hour_says_how_far_it_came(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    for number in range(1, 251):
        verl.open_issue(number, f"[Bug] {number}")
    github.anonymous_remaining = 1

    result = sync(store, session_with(github, token=None))
    github.anonymous_remaining = 60
    again = sync(store, session_with(github, token=None))

    assert "open issues not active since 2026-03-01" in result.notes[0]
    assert "sync in" in (result.problem or "")
    assert again.problem is None
    assert len(store.issues(UPSTREAM)) == 250


def test_a_hostile_body_is_stored_plain_and_bounded(
    github: FakeGitHub, verl: Repository, store: SqlStore
):
    frames = "\n".join(f'File "/x{n}.py", line {n}, in f' for n in range(10_000))
    body = "\x1b[31m<script>\x00\u202e{{[[" + "[" * 5_000 + "\n" + frames
    verl.open_issue(1, "[Bug] \x07bell", body)

    sync(store, session_with(github))

    (issue,) = store.issues(UPSTREAM)
    assert issue.title == "[Bug] bell"
    assert len(issue.raw_body) < 70_000
    assert len(issue.frames) == 60
    assert "\x00" not in issue.raw_body


WALKS = [
    IssueWalk(since=START, reached=START, after="x", newest=START, labels=("a", "b")),
    OpenWalk(floor=START, top=START, page=3, etag='"e"'),
]


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_comes_back_from_its_text(walk: IssueWalk | OpenWalk):
    assert read_walk(type(walk), walk_text(walk)) == walk


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"form": 2}', '{"form": 1, "since": "x"}'])
def test_a_damaged_walk_is_as_good_as_none(text: str | None):
    assert read_walk(IssueWalk, text) is None
