"""REST odds and ends: issues without a token, and issues that moved to another repository."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.adapters.github.client import GitHubClient, GoneError
from watcher.adapters.github.limits import Answer
from watcher.errors import RemoteError
from watcher.facts.issue import Issue
from watcher.history.github_json import is_pull_request, parse_issue
from watcher.history.json_values import node
from watcher.ports.github import OpenPage
from watcher.ports.issue_walk import OpenWalk

PER_PAGE: Final = 100
PAGE_LIMIT: Final = 50
"""Pages read in one session, leaving something of the 60 requests an hour without a token."""


class _Listed(Struct, frozen=True):
    """One page of the issue list."""

    issues: tuple[Issue, ...]
    newest: datetime | None
    oldest: datetime | None
    is_last: bool
    etag: str | None
    upstream: str
    """Present name of the repository: a renamed one redirects."""


class OpenIssues:
    """Issues by REST, newest activity first, as far as the anonymous allowance goes.

    The list shifts while it is read. New activity pushes what is below to later pages, which only
    repeats it; a closed issue pulls it to earlier ones. So a reading that goes on after a break
    looks at the last page again and steps back until it meets what it knows.
    """

    def __init__(self, client: GitHubClient) -> None:
        self._client = client
        self._asked = 0

    def pages(self, upstream: str, walk: OpenWalk) -> Iterator[OpenPage]:
        """Pages with the walk to store after each, until the pass is done or the limit is met."""
        must_meet = walk.page > 0 and not walk.is_done
        if must_meet:
            news, walk = self._news(upstream, walk)
            yield from news
            walk = replace(walk, page=walk.page - 1)
        while not walk.is_done and self._asked < PAGE_LIMIT:
            listed = self._list(upstream, walk, walk.page + 1)
            if listed is None:
                yield OpenPage(issues=(), walk=replace(walk, is_done=True), upstream=upstream)
                return
            if must_meet and walk.page > 0 and not _meets(walk, listed):
                walk = replace(walk, page=walk.page - 1)
                continue
            must_meet = False
            walk = replace(
                walk,
                top=walk.top or listed.newest,
                low=listed.oldest or walk.low,
                page=walk.page + 1,
                is_done=listed.is_last,
                etag=listed.etag if walk.page == 0 else walk.etag,
            )
            yield OpenPage(issues=listed.issues, walk=walk, upstream=listed.upstream)

    def _news(self, upstream: str, walk: OpenWalk) -> tuple[list[OpenPage], OpenWalk]:
        """What became active above a reading that was broken off, and the walk with it inside."""
        pages: list[OpenPage] = []
        newest, page = walk.top, 0
        while self._asked < PAGE_LIMIT:
            page += 1
            listed = self._list(upstream, walk, page)
            if listed is None:
                break
            newest = max(filter(None, (newest, listed.newest)), default=newest)
            is_met = listed.oldest is None or walk.top is None or listed.oldest <= walk.top
            if is_met or listed.is_last:
                walk = replace(walk, top=newest)
            pages.append(OpenPage(issues=listed.issues, walk=walk, upstream=listed.upstream))
            if is_met or listed.is_last:
                break
        return pages, walk

    def _list(self, upstream: str, walk: OpenWalk, page: int) -> _Listed | None:
        """One page; None when it is the same as last time."""
        self._asked += 1
        answer = self._client.get(
            f"/repos/{upstream}/issues",
            {
                "state": "open" if walk.is_first else "all",
                "sort": "updated",
                "direction": "desc",
                "per_page": PER_PAGE,
                "page": page,
                "since": walk.floor.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            },
            etag=walk.etag if walk.top is None else None,
        )
        if answer.status == 304:
            return None
        if not isinstance(answer.body, list):
            raise RemoteError("the answer is no list of issues", where=upstream)
        read = [(item, parse_issue(item, upstream)) for item in answer.body]
        active = [issue.updated_at for _, issue in read if issue is not None]
        return _Listed(
            issues=tuple(
                issue for item, issue in read if issue is not None and not is_pull_request(item)
            ),
            newest=max(active, default=None),
            oldest=min(active, default=None),
            is_last=len(answer.body) < PER_PAGE,
            etag=answer.headers.get("etag"),
            upstream=_present_name(answer.body) or upstream,
        )


def _present_name(listed: list[object]) -> str:
    """``owner/name`` that the first listed issue gives its repository."""
    url = node(listed[0]).get("repository_url") if listed else None
    return "/".join(url.split("/")[-2:]) if isinstance(url, str) and len(url) < 300 else ""


def _meets(walk: OpenWalk, listed: _Listed) -> bool:
    """True when a page begins above or at what was read last, so that nothing lies between."""
    return walk.low is None or (listed.newest is not None and listed.newest >= walk.low)


def find_moved(client: GitHubClient, upstream: str, number: int) -> Issue | None:
    """An issue that its repository no longer has, under its old number; None when it is gone.

    GitHub answers with a redirect, which the client follows; the issue says where it lives now.
    Raises RemoteError when GitHub does not say.
    """
    answer = _get_twice(client, f"/repos/{upstream}/issues/{number}")
    if answer is None or is_pull_request(answer.body):
        return None
    issue = parse_issue(answer.body, upstream)
    url = node(answer.body).get("html_url")
    name = "/".join(url.split("/")[-4:-2]) if isinstance(url, str) and len(url) < 300 else ""
    if issue is None or name.count("/") != 1:
        raise RemoteError("the answer is no issue", where=f"{upstream}#{number}")
    return replace(issue, number=number, moved_to=f"{name}#{issue.number}")


def _get_twice(client: GitHubClient, path: str) -> Answer | None:
    """The answer; None when GitHub says twice that there is none, for that is kept for good."""
    try:
        return client.get(path, {})
    except GoneError:
        pass
    try:
        return client.get(path, {})
    except GoneError:
        return None
