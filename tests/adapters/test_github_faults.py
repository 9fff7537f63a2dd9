"""What a session with GitHub waits for, gives up and tells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.adapters.issue_reading import open_pages
from tests.fake_github import START, FakeGitHub, Reply, Repository, json_reply
from tests.fake_github_http import loopback, served
from tests.github_stories import UPSTREAM, FakeTime, session_with
from watcher.adapters.github.auth import Token, check_access, open_session
from watcher.errors import RemoteError
from watcher.ports.issue_walk import OpenWalk


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
