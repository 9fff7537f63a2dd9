"""What people wrote on GitHub, page by page. Declarations, no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from watcher.facts.issue import Issue, IssueLink, PullRequestWords
from watcher.ports.issue_walk import IssueWalk, OpenWalk


class GitHubCost(Struct, frozen=True, kw_only=True):
    """What one session with GitHub has cost so far, and what is left of the hour's allowance."""

    requests: int = 0
    points: int = 0
    """GraphQL points as GitHub charged them."""
    remaining: int | None = None
    """Points (requests without a token) left; None when GitHub did not say."""
    resets_at: datetime | None = None
    waited_seconds: float = 0.0

    def __str__(self) -> str:
        told = f"{self.requests} request{'' if self.requests == 1 else 's'}"
        if self.points:
            told += f", {self.points} point{'' if self.points == 1 else 's'}"
        if self.remaining is not None:
            told += f"; {self.remaining} left"
            told += f" until {self.resets_at:%H:%M} UTC" if self.resets_at else ""
        return told


class WordsBatch(Struct, frozen=True, kw_only=True):
    """One answer about pull requests and issues, as GitHub tells them (bodies not yet read)."""

    words: tuple[PullRequestWords, ...] = ()
    issues: tuple[Issue, ...] = ()
    """Issues asked for, or named as closed by a pull request of this batch."""
    absent: tuple[int, ...] = ()
    """Numbers that GitHub does not know (as what was asked for)."""
    unreadable: tuple[int, ...] = ()
    """Numbers that GitHub failed to answer even alone, or that took too many requests; worth
    another try another day.
    """
    upstream: str = ""
    """Present ``owner/name``: differs from the one asked for after a renaming."""


class IssuePage(Struct, frozen=True, kw_only=True):
    """One page of issues and the walk to store with it."""

    issues: tuple[Issue, ...]
    walk: IssueWalk
    upstream: str = ""
    """Present ``owner/name``."""
    pulls: tuple[IssueLink, ...] = ()
    """Pull requests that were active of late, with their present state."""


class OpenPage(Struct, frozen=True, kw_only=True):
    """One page of open issues read without a token and the walk to store with it."""

    issues: tuple[Issue, ...]
    walk: OpenWalk
    upstream: str = ""


class GitHub(Protocol):
    """What people wrote: pull requests' words and issues. Iterators stop where the caller stops.

    All raise RemoteError; what was yielded before stays good.
    """

    @property
    def has_token(self) -> bool:
        """Without a token only ``open_issues`` works."""
        ...

    def pull_requests(self, upstream: str, numbers: Sequence[int]) -> Iterator[WordsBatch]:
        """The words of pull requests by number, about 50 a request."""
        ...

    def named_issues(self, upstream: str, numbers: Sequence[int]) -> Iterator[WordsBatch]:
        """Issues by number, moved ones followed; numbers of pull requests come back as words."""
        ...

    def issues(self, upstream: str, walk: IssueWalk) -> Iterator[IssuePage]:
        """Issues by activity, from where ``walk`` stands to its end."""
        ...

    def open_issues(self, upstream: str, walk: OpenWalk) -> Iterator[OpenPage]:
        """Open issues without a token, newest activity first, within the anonymous allowance."""
        ...

    def cost(self) -> GitHubCost:
        """What this session has cost."""
        ...
