"""What resolving asks of a mirror, and where an upstream's line stands. Pure declarations.

``ports.Mirror`` is a ``CommitLookup``; ``ports.MirrorState`` is a ``Line``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from watcher.facts.ref import RefMatch, Tag


class CommitLookup(Protocol):
    """Offline questions about commits."""

    def look_up(self, ref: str) -> Sequence[RefMatch]:
        """What a ref may mean: one commit, several when ambiguous, none when unknown."""
        ...

    def fork_point(self, sha: str, head: str) -> str | None:
        """The newest first-parent commit of ``head`` that ``sha`` holds, or None."""
        ...

    def committed_at(self, sha: str) -> datetime | None:
        """Commit time, None for an unknown sha."""
        ...

    def commits_between(self, base: str, tip: str) -> Sequence[str]:
        """Commits of ``base..tip`` without merges, oldest first."""
        ...

    def is_ancestor(self, one: str, other: str) -> bool:
        """True when ``other`` holds ``one``."""
        ...


class Line(Protocol):
    """The tracked branch of an upstream as far as it is mirrored (or as far as ``--as-of``)."""

    @property
    def head(self) -> str:
        """Sha of the tip."""
        ...

    @property
    def branch(self) -> str:
        """Name of the tracked branch."""
        ...

    @property
    def tags(self) -> tuple[Tag, ...]:
        """Release tags."""
        ...

    @property
    def release_branches(self) -> tuple[tuple[str, str], ...]:
        """(name, tip sha)."""
        ...
