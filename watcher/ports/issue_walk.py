"""How far the issues of an upstream have been read. Records, no I/O."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class IssueWalk(Struct, frozen=True, kw_only=True):
    """How far the issues of an upstream have been read. Stored after every page, so a walk resumes.

    A first walk reads open issues oldest activity first and, riding along, closed ones newest
    first; once it is done, later walks read every issue that was active since ``reached``.
    """

    since: datetime
    """Oldest activity wanted."""
    reached: datetime
    """Activity time up to which the ascending reading is complete."""
    after: str | None = None
    """Page cursor inside a run of issues with one and the same activity time."""
    is_first: bool = True
    open_done: bool = False
    closed_after: str | None = None
    closed_done: bool = False
    newest: datetime | None = None
    """Latest activity upstream when a first walk began: later walks start there."""
    labels: tuple[str, ...] = ()
    """Labels still to be read in a first walk, one after the other; empty reads all issues."""

    @property
    def is_done(self) -> bool:
        """True when there is nothing left to read now."""
        return self.open_done and self.closed_done and len(self.labels) <= 1

    def next_label(self) -> IssueWalk:
        """The walk through the issues of the next label, once those of the first are read."""
        return IssueWalk(
            since=self.since, reached=self.since, newest=self.newest, labels=self.labels[1:]
        )

    def later(self) -> IssueWalk:
        """The walk that reads what became active after this one, which is done."""
        start = (self.newest or self.since) if self.is_first else self.reached
        return IssueWalk(since=self.since, reached=start, is_first=False, closed_done=True)


class OpenWalk(Struct, frozen=True, kw_only=True):
    """How far issues have been read without a token, newest activity first, pass after pass."""

    floor: datetime
    """Oldest activity that this pass wants; everything older is stored or not wanted."""
    is_first: bool = True
    """A first pass reads open issues; later ones also those that were closed meanwhile."""
    top: datetime | None = None
    """Everything active from here down to ``low`` is stored."""
    low: datetime | None = None
    page: int = 0
    """Page that ended at ``low`` when it was read; 0 before the first."""
    is_done: bool = False
    etag: str | None = None
    """Of the pass's first page, for a conditional request."""

    def later(self) -> OpenWalk:
        """The next pass after this one, which is done."""
        floor = self.top or self.floor
        etag = self.etag if floor == self.floor and not self.is_first else None
        return OpenWalk(floor=floor, is_first=False, etag=etag)
