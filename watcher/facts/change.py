"""A landed change, and its place on the tracked branch. Pure records."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from watcher.facts.diff import DiffFacts
from watcher.facts.message import Message

BEFORE_RANGE: Final = -1
"""Position of the walk's base commit and of everything older."""


class Change(Struct, frozen=True, kw_only=True):
    """One landed change: a merged pull request or a lone commit, on the tracked branch or a
    release branch.
    """

    upstream: str
    """``owner/name``."""
    branch: str
    position: int | None
    """None off the first-parent line of the tracked branch."""
    message: Message
    diff: DiffFacts
    facets: tuple[str, ...] = ()
    """All facets: of the message, the paths, the guards and the labels."""
    labels: tuple[str, ...] = ()
    has_words: bool = False
    """True when the description and labels of its pull request are in."""

    @property
    def sha(self) -> str:
        """Object name of the landed commit."""
        return self.message.sha

    @property
    def number(self) -> int | None:
        """Pull request number, if any."""
        return self.message.number
