"""A pin, resolved to a commit or not. Pure records."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class ResolvedPin(Struct, frozen=True, kw_only=True):
    """A pin with the commit that it stands for."""

    name: str
    upstream: str
    ref: str
    sha: str
    committed_at: datetime
    position: int
    """Of its fork point on the tracked branch."""
    fork_point: str
    """Merge base of the pin and the head; the pin itself when it lies on the tracked branch."""
    branch: str | None = None
    """Release branch that holds the pin, or None."""
    carried: tuple[str, ...] = ()
    """Commits from the fork point to the pin, oldest first."""
    note: str | None = None
    """What the user should know: a fork's sha, a moving branch, local commits on top."""


class UnresolvedPin(Struct, frozen=True, kw_only=True):
    """A pin that stands for no commit we can name, and why."""

    name: str
    upstream: str
    ref: str
    reason: str
    mend: str
    """What the user can write instead."""


Pin = ResolvedPin | UnresolvedPin
