"""Issues by activity: each is read once, whatever happens between the pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from tests.adapters.issue_reading import WALK, read_all
from tests.fake_github import START, FakeGitHub, Repository, json_reply
from watcher.errors import RemoteError


def test_open_issues_ascend_and_closed_ones_ride_along(github: FakeGitHub, verl: Repository):
    for number in range(1, 11):
        verl.open_issue(number)
    for number in (2, 4, 6):
        verl.close(number)

    numbers, walk = read_all(github, page=4)

    assert set(numbers) == set(range(1, 11))
    assert walk.is_done
    assert len(github.requests) == 2


def test_old_activity_is_left_out(github: FakeGitHub, verl: Repository):
    verl.open_issue(1, at=START - timedelta(days=1))
    verl.open_issue(2)

    assert read_all(github)[0] == [2]


def test_a_later_walk_reads_only_what_became_active(github: FakeGitHub, verl: Repository):
    for number in range(1, 6):
        verl.open_issue(number)
    _, walk = read_all(github)
    verl.comment(2)
    verl.close(3)

    numbers, later = read_all(github, walk.later())

    assert set(numbers) == {5, 2, 3}
    assert read_all(github, later.later())[0] == [3]


def test_what_becomes_active_during_the_first_walk_is_read_by_the_next(
    github: FakeGitHub, verl: Repository
):
    for number in range(1, 9):
        verl.open_issue(number)

    def close_one_already_read(count: int) -> None:
        if count == 3:
            verl.close(1)

    github.before = close_one_already_read
    first, walk = read_all(github, page=3)
    later, _ = read_all(github, walk.later())

    assert set(first) == set(range(1, 9))
    assert 1 in later


@pytest.mark.parametrize("moment", range(2, 5))
def test_no_issue_slips_through_when_pages_shift(github: FakeGitHub, verl: Repository, moment: int):
    for number in range(1, 11):
        verl.open_issue(number)

    def shift(count: int) -> None:
        if count == moment:
            verl.comment(1)
            verl.close(2)

    github.before = shift

    assert set(read_all(github, page=3)[0]) == set(range(1, 11))


def test_many_issues_of_one_moment_are_all_read(github: FakeGitHub, verl: Repository):
    for number in range(1, 12):
        verl.open_issue(number, at=START + timedelta(days=1))

    assert set(read_all(github, page=3)[0]) == set(range(1, 12))


def test_a_cursor_that_github_forgot_starts_the_run_again(github: FakeGitHub, verl: Repository):
    for number in range(1, 6):
        verl.open_issue(number)

    numbers, walk = read_all(github, replace(WALK, after="forgotten"))

    assert set(numbers) == set(range(1, 6))
    assert walk.is_done


def test_pages_halve_when_github_cannot_cope(github: FakeGitHub, verl: Repository):
    github.largest_page = 25
    for number in range(1, 61):
        verl.open_issue(number)

    assert set(read_all(github)[0]) == set(range(1, 61))


def test_closed_issues_take_few_requests_of_their_own(github: FakeGitHub, verl: Repository):
    for number in range(1, 31):
        verl.open_issue(number)
        verl.close(number)

    numbers, walk = read_all(github, page=2)

    assert walk.is_done
    assert len(github.requests) == 4
    assert numbers[:2] == [30, 29]


def test_labels_are_read_one_after_the_other(github: FakeGitHub, verl: Repository):
    for number in range(1, 13):
        verl.open_issue(number, labels=[("a", "b", "other")[number % 3]])
    verl.close(1)

    numbers, walk = read_all(github, replace(WALK, labels=("a", "b")), page=3)

    assert set(numbers) == {3, 6, 9, 12, 1, 4, 7, 10}
    assert walk.is_done
    assert walk.later().labels == ()


def test_cursors_that_are_always_forgotten_end_in_an_error(github: FakeGitHub, verl: Repository):
    for number in range(1, 9):
        verl.open_issue(number, at=START + timedelta(days=1))

    def forget(_: int) -> None:
        if github.requests[-1].variables["after"]:
            told = {"data": None, "errors": [{"message": "`x` is not a valid cursor"}]}
            github.faults.append(json_reply(200, told))

    github.before = forget

    with pytest.raises(RemoteError, match="forgets its page cursors"):
        read_all(github, page=3)
