"""What people wrote on GitHub: bug reports and pull requests. Pure records."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from watcher.facts.kind import State
from watcher.facts.symptom import Frame


class IssueLink(Struct, frozen=True, kw_only=True):
    """A pull request of the same upstream that GitHub ties to an issue."""

    number: int
    state: State
    """As GitHub tells it; whether it landed is git's to say."""
    title: str = ""
    closes: bool = False
    """True when GitHub says that landing it closes the issue, False for a mere mention."""


class Issue(Struct, frozen=True, kw_only=True):
    """A bug report of an upstream."""

    upstream: str
    number: int
    title: str
    body: str
    """Cleaned: form headings and environment blocks gone."""
    raw_body: str = ""
    state: State = State.OPEN
    state_reason: str | None = None
    """GitHub's reason for closing: completed, not_planned, duplicate; or None."""
    opened_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    labels: tuple[str, ...] = ()
    reactions: int = 0
    comments: int = 0
    errors: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    config: tuple[str, ...] = ()
    """``key=value`` settings found in the body."""
    versions: tuple[tuple[str, str], ...] = ()
    """Package versions found in the body: (package, version)."""
    facets: tuple[str, ...] = ()
    linked_numbers: tuple[int, ...] = ()
    """Pull requests that GitHub links to it, open or landed."""
    duplicate_of: int | None = None
    closed_by_bot: bool = False
    links: tuple[IssueLink, ...] = ()
    """Pull requests that speak of it; ``linked_numbers`` are their numbers."""
    moved_to: str | None = None
    """``owner/name#number`` where the issue lives now, when it was moved."""
    closed_by: str = ""
    """Account that closed it last, or empty."""
    is_bug: bool = True
    """False for an issue that is kept only because a landed change names it."""


class PullRequestWords(Struct, frozen=True, kw_only=True):
    """What GitHub adds to a landed, open or abandoned pull request."""

    upstream: str
    number: int
    title: str
    body: str
    state: State
    merged_at: datetime | None = None
    updated_at: datetime | None = None
    labels: tuple[str, ...] = ()
    closes: tuple[int, ...] = ()
    unresolved_remarks: tuple[str, ...] = ()
    """First lines of review threads that were never resolved."""
    base: str = ""
    """Branch that it asks to be merged into, as GitHub tells it."""
