"""The ``GitHub`` port over HTTP: pull requests and issues in as few requests as can be.

Numbers go out in batches of 50 aliases, issues in pages of 100; when GitHub says that this was too
much, the same is asked for in halves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from watcher.adapters.github import queries
from watcher.adapters.github.client import AskForLessError, GitHubClient, StaleCursorError
from watcher.adapters.github.limits import PageSize
from watcher.adapters.github.rest import OpenIssues, find_moved
from watcher.adapters.github.walks import advance
from watcher.errors import RemoteError
from watcher.facts.issue import Issue, PullRequestWords
from watcher.history.github_json import (
    is_pull_request,
    parse_closed_issues,
    parse_issue,
    parse_links,
    parse_words,
)
from watcher.history.json_values import Node, node, nodes
from watcher.ports.github import GitHubCost, IssuePage, OpenPage, WordsBatch
from watcher.ports.issue_walk import IssueWalk, OpenWalk

BATCH: Final = 50
"""Numbers asked for at once."""
PAGE: Final = 100
"""Issues asked for at once, GitHub's most."""
CLOSED_ALONE: Final = 3
"""Requests spent on closed issues once the open ones are read; older closed ones are left out."""
_MOVED_LIMIT: Final = 5
"""Issues followed to where they moved, per call; each costs a request or two."""


class GitHubSession:
    """Implements ``ports.GitHub``."""

    def __init__(
        self,
        client: GitHubClient,
        *,
        has_token: bool,
        batch: int = BATCH,
        page: int = PAGE,
    ) -> None:
        self._client = client
        self._has_token = has_token
        self._batch = PageSize(batch)
        self._page = PageSize(page)

    @property
    def has_token(self) -> bool:
        """Whether GraphQL can be asked."""
        return self._has_token

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def cost(self) -> GitHubCost:
        """What this session has cost."""
        return self._client.cost()

    def pull_requests(self, upstream: str, numbers: Sequence[int]) -> Iterator[WordsBatch]:
        """See ``ports.GitHub``."""
        for repository, asked in self._batches(upstream, numbers, queries.pull_requests):
            yield _read_batch(repository, asked, upstream)

    def named_issues(self, upstream: str, numbers: Sequence[int]) -> Iterator[WordsBatch]:
        """See ``ports.GitHub``."""
        left = _MOVED_LIMIT
        for repository, asked in self._batches(upstream, numbers, queries.named):
            batch = _read_batch(repository, asked, upstream)
            yield replace(batch, absent=(), unreadable=batch.unreadable + batch.absent[left:])
            for number in batch.absent[:left]:
                moved = find_moved(self._client, upstream, number)
                found, gone = ((moved,), ()) if moved is not None else ((), (number,))
                yield replace(batch, words=(), issues=found, absent=gone, unreadable=())
            left = max(0, left - len(batch.absent))

    def issues(self, upstream: str, walk: IssueWalk) -> Iterator[IssuePage]:
        """See ``ports.GitHub``."""
        alone = forgotten = 0
        while not walk.is_done:
            if walk.open_done and walk.closed_done:
                walk, alone = walk.next_label(), 0
            if walk.open_done:
                alone += 1
                if alone > CLOSED_ALONE:
                    walk = replace(walk, closed_after=None, closed_done=True)
                    yield IssuePage(issues=(), walk=walk)
                    continue
            repository = self._issue_page(upstream, walk)
            if repository is None:
                forgotten += 1
                if forgotten > 1:
                    raise RemoteError("GitHub forgets its page cursors", where=upstream)
                walk = replace(walk, after=None, closed_after=None)
                continue
            walk = advance(walk, repository)
            yield _read_page(repository, walk, upstream)

    def open_issues(self, upstream: str, walk: OpenWalk) -> Iterator[OpenPage]:
        """See ``ports.GitHub``."""
        return OpenIssues(self._client).pages(upstream, walk)

    def _issue_page(self, upstream: str, walk: IssueWalk) -> Node | None:
        """The repository with a page of issues; None when a page cursor is no longer known."""
        document = queries.ACTIVE_ISSUES
        if walk.is_first:
            document = queries.first_issues(with_label=bool(walk.labels))
        while True:
            variables = {**_page_variables(walk), "first": self._page.size}
            try:
                return self._repository(upstream, document, variables, self._page)
            except AskForLessError as error:
                if not self._page.shrink(self._page.size):
                    raise RemoteError(str(error), where=upstream) from error
            except StaleCursorError as error:
                if walk.after is None and walk.closed_after is None:
                    raise RemoteError(str(error), where=upstream) from error
                return None

    def _batches(
        self, upstream: str, numbers: Sequence[int], document: Callable[[Sequence[int]], str]
    ) -> Iterator[tuple[Node, tuple[int, ...]]]:
        """Answers with the numbers that each was asked for; a number that breaks is left null."""
        wanted = deque(dict.fromkeys(numbers))
        while wanted:
            asked = tuple(wanted[index] for index in range(min(self._batch.size, len(wanted))))
            try:
                yield self._repository(upstream, document(asked), {}, self._batch), asked
            except AskForLessError:
                if self._batch.shrink(len(asked)):
                    continue
                yield {"unreadable": True}, asked
            for _ in asked:
                wanted.popleft()

    def _repository(
        self, upstream: str, document: str, variables: Mapping[str, object], size: PageSize
    ) -> Node:
        owner, _, name = upstream.partition("/")
        data = self._client.query(document, {"owner": owner, "name": name, **variables})
        repository = node(data, "repository")
        if not repository:
            mend = "check the upstream's name and that the token may read it"
            raise RemoteError("GitHub knows no such repository", where=upstream, mend=mend)
        size.went_well()
        return repository


def _read_page(repository: Node, walk: IssueWalk, upstream: str) -> IssuePage:
    name = _present_name(repository, upstream)
    listed = (*nodes(repository, "page", "nodes"), *nodes(repository, "closed", "nodes"))
    read = (parse_issue(found, name) for found in listed)
    return IssuePage(
        issues=tuple(replace(one, upstream=upstream) for one in read if one is not None),
        walk=walk,
        upstream=name,
        pulls=parse_links(repository.get("recent"), name),
    )


def _page_variables(walk: IssueWalk) -> dict[str, object]:
    variables: dict[str, object] = {"since": _stamp(walk.reached), "after": walk.after}
    if walk.is_first:
        variables |= {
            "closedSince": _stamp(walk.since),
            "closedAfter": walk.closed_after,
            "withOpen": not walk.open_done,
            "withClosed": not walk.closed_done,
        }
    if walk.labels:
        variables["labels"] = [walk.labels[0]]
    return variables


def _read_batch(repository: Node, asked: Sequence[int], upstream: str) -> WordsBatch:
    if repository.get("unreadable"):
        return WordsBatch(unreadable=tuple(asked), upstream=upstream)
    name = _present_name(repository, upstream)
    words: list[PullRequestWords] = []
    issues: list[Issue] = []
    absent: list[int] = []
    for number in asked:
        found = node(repository, f"n{number}")
        pull = None if found.get("__typename") == "Issue" else parse_words(found, name)
        issue = None if is_pull_request(found) else parse_issue(found, name)
        if found.get("__typename") == "Issue" and issue is not None:
            issues.append(issue)
        elif pull is not None:
            words.append(replace(pull, upstream=upstream))
            issues.extend(parse_closed_issues(found, name))
        else:
            absent.append(number)
    ours = tuple(replace(issue, upstream=upstream) for issue in issues)
    return WordsBatch(words=tuple(words), issues=ours, absent=tuple(absent), upstream=name)


def _present_name(repository: Node, upstream: str) -> str:
    name = repository.get("nameWithOwner")
    is_name = isinstance(name, str) and name.count("/") == 1 and len(name) < 200
    return name if is_name and isinstance(name, str) else upstream


def _stamp(at: datetime) -> str:
    """A time as GitHub's ``DateTime`` reads it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
