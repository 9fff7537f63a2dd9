"""The GitHub port against a GitHub that has the real one's ways."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.fake_github import START, FakeGitHub, Reply, Repository, json_reply
from tests.fake_github_http import loopback, served
from tests.github_stories import UPSTREAM, FakeTime, session_with
from watcher.adapters.github.auth import Token, check_access, open_session
from watcher.errors import RemoteError
from watcher.ports import IssueWalk, OpenWalk

WALK = IssueWalk(since=START, reached=START)


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub()


@pytest.fixture
def verl(github: FakeGitHub) -> Repository:
    return github.repository(UPSTREAM)


def read_all(
    github: FakeGitHub, walk: IssueWalk = WALK, **options: int
) -> tuple[list[int], IssueWalk]:
    """Numbers in the order of reading, and the walk at the end."""
    numbers: list[int] = []
    for page in session_with(github, **options).issues(UPSTREAM, walk):
        numbers += [issue.number for issue in page.issues]
        walk = page.walk
    return numbers, walk


# --- batches ---


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


# --- issues by activity ---


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


# --- limits and faults ---


def test_a_used_up_allowance_is_waited_for(github: FakeGitHub, verl: Repository):
    verl.add_pull(1)
    time = FakeTime(github)
    reset = str(int(github.now.timestamp()) + 120)
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "limit"}]}
    github.faults.append(json_reply(200, limited, {"x-ratelimit-reset": reset}))
    session = session_with(github, time=time)

    list(session.pull_requests(UPSTREAM, [1]))

    assert time.slept == [121]
    assert session.cost().waited_seconds == 121


def test_a_bad_token_is_told_with_its_mend(github: FakeGitHub, verl: Repository):
    with pytest.raises(RemoteError, match=r"not accepted: renew GITHUB_TOKEN") as caught:
        list(session_with(github, token="ghp_old").pull_requests(UPSTREAM, [1]))

    assert "ghp_old" not in str(caught.value)


def test_cost_counts_requests_points_and_what_is_left(github: FakeGitHub, verl: Repository):
    verl.add_pull(1)
    session = session_with(github)

    list(session.pull_requests(UPSTREAM, [1]))

    cost = session.cost()
    assert str(cost) == "1 request, 1 point; 4999 left until 00:01 UTC"
    assert (cost.requests, cost.points, cost.remaining) == (1, 1, 4999)


# --- without a token ---


def open_pages(github: FakeGitHub, walk: OpenWalk, most: int = 99) -> tuple[list[int], OpenWalk]:
    numbers: list[int] = []
    pages = session_with(github, token=None).open_issues(UPSTREAM, walk)
    for _, page in zip(range(most), pages, strict=False):
        numbers += [issue.number for issue in page.issues]
        walk = page.walk
    return numbers, walk


def test_open_issues_come_newest_first_without_a_token(github: FakeGitHub, verl: Repository):
    for number in range(1, 251):
        verl.open_issue(number)
    verl.add_pull(900, state="OPEN")

    numbers, walk = open_pages(github, OpenWalk(floor=START))

    assert numbers == list(range(250, 0, -1))
    assert walk.is_done
    assert len(github.requests) == 3


def test_a_broken_off_reading_goes_on_with_news_first_and_misses_nothing(
    github: FakeGitHub, verl: Repository
):
    for number in range(1, 351):
        verl.open_issue(number)
    first, walk = open_pages(github, OpenWalk(floor=START), most=2)
    verl.open_issue(351)
    for number in range(340, 345):
        verl.close(number)
    github.requests.clear()

    second, walk = open_pages(github, walk)

    assert set(first) | set(second) == set(range(1, 352))
    assert second[0] == 351
    assert walk.is_done


def test_an_unchanged_list_is_answered_by_its_etag(github: FakeGitHub, verl: Repository):
    verl.open_issue(1)
    _, walk = open_pages(github, OpenWalk(floor=START))
    _, walk = open_pages(github, walk.later())

    numbers, walk = open_pages(github, walk.later())

    assert numbers == []
    assert "if-none-match" in github.requests[-1].headers
    assert walk.is_done


def test_the_anonymous_allowance_ends_in_a_clear_error(github: FakeGitHub, verl: Repository):
    github.anonymous_remaining = 1
    for number in range(1, 201):
        verl.open_issue(number)

    with pytest.raises(RemoteError, match="go on with the next sync in"):
        open_pages(github, OpenWalk(floor=START))


def test_a_renamed_repository_is_followed_without_a_token_too(github: FakeGitHub):
    github.repository("volcengine/verl").open_issue(1)
    github.rename("volcengine/verl", UPSTREAM)
    session = session_with(github, token=None)

    (page,) = session.open_issues("volcengine/verl", OpenWalk(floor=START))

    assert (page.issues[0].number, page.upstream) == (1, UPSTREAM)
    assert session.cost().requests == 2


def test_a_list_that_is_none_is_an_error(github: FakeGitHub, verl: Repository):
    github.faults.append(json_reply(200, {"message": "hello"}))

    with pytest.raises(RemoteError, match="no list of issues"):
        open_pages(github, OpenWalk(floor=START))


def test_an_answer_nested_too_deeply_is_asked_for_again(github: FakeGitHub, verl: Repository):
    verl.add_pull(1)
    github.faults.append(Reply(200, {}, b"[" * 200_000))

    (batch,) = session_with(github).pull_requests(UPSTREAM, [1])

    assert batch.words[0].number == 1


def test_an_answer_without_data_is_an_error(github: FakeGitHub, verl: Repository):
    github.faults.append(json_reply(200, {"errors": [{"message": "Field 'x' does not exist"}]}))

    with pytest.raises(RemoteError, match="Field 'x' does not exist"):
        list(session_with(github).pull_requests(UPSTREAM, [1]))


# --- over a socket ---


def test_the_same_over_http_with_a_slow_a_broken_and_a_truncated_answer(
    github: FakeGitHub, verl: Repository
):
    verl.add_pull(1, body="x" * 500)
    time = FakeTime(github)
    slow = Reply(503, {"retry-after": "2"}, b"{}", is_slow=True)
    github.faults.extend(
        [slow, Reply(is_dropped=True), replace(json_reply(200, {"a": "b" * 99}), is_truncated=True)]
    )

    with served(github) as base_url:
        session = session_with(github, time=time, base_url=base_url, transport=loopback())
        (batch,) = session.pull_requests(UPSTREAM, [1])
        session.close()

    assert batch.words[0].body == "x" * 500
    assert time.slept == [2, 2, 4]


def test_doctor_learns_what_a_token_may(github: FakeGitHub):
    core = {"limit": 5000, "remaining": 4990, "used": 10, "reset": 1}
    answer = {"resources": {"core": core, "search": core, "graphql": core}, "rate": core}
    github.faults.append(json_reply(200, answer, {"x-oauth-scopes": "repo, read:org"}))

    with served(github) as base_url:
        access = check_access(open_session(base_url, Token("ghp_x", "here")))

    assert (access.remaining, access.limit, access.scopes) == (4990, 5000, ("repo", "read:org"))
