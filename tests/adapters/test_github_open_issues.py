"""Open issues without a token, newest first."""

from __future__ import annotations

import pytest

from tests.adapters.issue_reading import open_pages
from tests.fake_github import START, FakeGitHub, Repository
from tests.github_stories import UPSTREAM, session_with
from watcher.errors import RemoteError
from watcher.ports.issue_walk import OpenWalk


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
