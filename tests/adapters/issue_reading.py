"""All issues of a walk, as a session reads them."""

from __future__ import annotations

from tests.fake_github import START, FakeGitHub
from tests.github_stories import UPSTREAM, session_with
from watcher.ports.issue_walk import IssueWalk, OpenWalk

WALK = IssueWalk(since=START, reached=START)


def read_all(
    github: FakeGitHub, walk: IssueWalk = WALK, **options: int
) -> tuple[list[int], IssueWalk]:
    """Numbers in the order of reading, and the walk at the end."""
    numbers: list[int] = []
    for page in session_with(github, **options).issues(UPSTREAM, walk):
        numbers += [issue.number for issue in page.issues]
        walk = page.walk
    return numbers, walk


def open_pages(github: FakeGitHub, walk: OpenWalk, most: int = 99) -> tuple[list[int], OpenWalk]:
    """The same without a token, of at most so many pages."""
    numbers: list[int] = []
    pages = session_with(github, token=None).open_issues(UPSTREAM, walk)
    for _, page in zip(range(most), pages, strict=False):
        numbers += [issue.number for issue in page.issues]
        walk = page.walk
    return numbers, walk
