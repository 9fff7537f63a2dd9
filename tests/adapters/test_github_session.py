"""The GitHub port against a GitHub that has the real one's ways: batches by number."""

from __future__ import annotations

import pytest

from tests.fake_github import FakeGitHub, Reply, Repository
from tests.github_stories import UPSTREAM, session_with
from watcher.errors import RemoteError


def test_words_come_in_batches_and_unknown_numbers_are_told(github: FakeGitHub, verl: Repository):
    for number in range(1, 8):
        verl.add_pull(number)

    batches = list(session_with(github, batch=3).pull_requests(UPSTREAM, [*range(1, 8), 99]))

    assert [len(batch.words) for batch in batches] == [3, 3, 1]
    assert batches[-1].absent == (99,)
    assert len(github.requests) == 3


def test_what_a_pull_request_closes_comes_along(github: FakeGitHub, verl: Repository):
    verl.open_issue(5, "[Bug] garbled", "it is garbled")
    verl.add_pull(9, closes=[5])

    (batch,) = session_with(github).pull_requests(UPSTREAM, [9])

    assert batch.words[0].closes == (5,)
    assert (batch.issues[0].raw_body, batch.issues[0].linked_numbers) == ("it is garbled", (9,))


def test_a_batch_too_large_is_halved_until_it_fits(github: FakeGitHub, verl: Repository):
    github.largest_batch = 2
    for number in range(1, 9):
        verl.add_pull(number)

    batches = list(session_with(github, batch=8).pull_requests(UPSTREAM, list(range(1, 9))))

    assert sorted(one.number for batch in batches for one in batch.words) == list(range(1, 9))
    assert len(github.requests) == 2 + 4


def test_one_pull_request_that_github_cannot_answer_does_not_stop_the_rest(
    github: FakeGitHub, verl: Repository
):
    for number in (1, 2, 3):
        verl.add_pull(number)

    def break_on_two(_: int) -> None:
        if "n2:" in github.requests[-1].document:
            github.faults.append(Reply(504))

    github.before = break_on_two
    batches = list(session_with(github, batch=2).pull_requests(UPSTREAM, [1, 2, 3]))

    assert sorted(one.number for batch in batches for one in batch.words) == [1, 3]
    assert [batch.unreadable for batch in batches if batch.unreadable] == [(2,)]


def test_named_numbers_may_be_pull_requests(github: FakeGitHub, verl: Repository):
    verl.open_issue(1)
    verl.add_pull(2)

    (batch,) = session_with(github).named_issues(UPSTREAM, [1, 2])

    assert [issue.number for issue in batch.issues] == [1]
    assert [words.number for words in batch.words] == [2]


def test_a_moved_issue_is_followed(github: FakeGitHub, verl: Repository):
    verl.open_issue(1, body="the same words")
    verl.transfer(1, github.repository("verl-project/recipes"), 77)

    batches = list(session_with(github).named_issues(UPSTREAM, [1, 2]))

    (issue,) = [issue for batch in batches for issue in batch.issues]
    assert (issue.number, issue.moved_to) == (1, "verl-project/recipes#77")
    assert issue.raw_body == "the same words"
    assert [number for batch in batches for number in batch.absent] == [2]


def test_a_renamed_repository_answers_and_says_its_name(github: FakeGitHub):
    github.repository("volcengine/verl").add_pull(1)
    github.rename("volcengine/verl", UPSTREAM)

    (batch,) = session_with(github).pull_requests("volcengine/verl", [1])

    assert batch.upstream == UPSTREAM
    assert batch.words[0].upstream == "volcengine/verl"


def test_an_unknown_repository_is_one_clear_error(github: FakeGitHub):
    with pytest.raises(RemoteError, match="no such repository"):
        list(session_with(github).pull_requests("no/where", [1]))
