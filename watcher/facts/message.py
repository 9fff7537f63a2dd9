"""What the message of a landed change says. Pure records."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from watcher.facts.kind import Kind


class MentionKind(StrEnum):
    """How a message speaks of another change."""

    INTRODUCED_BY = "introduced-by"
    FOLLOW_UP = "follow-up"
    AFTER = "after"
    REVERTS = "reverts"
    RELANDS = "relands"
    BACKPORT_OF = "backport-of"
    PLAIN = "plain"
    ABOUT = "about"
    """The bug that the change is about, short of closing it ("Issue: #7", "same fix as #8")."""


class Mention(Struct, frozen=True):
    """A reference in a message to another change or issue of the same upstream."""

    kind: MentionKind
    number: int | None = None
    sha: str | None = None
    """Abbreviated or full object name as written."""
    title: str | None = None
    """Quoted title as written."""
    quote: str = ""
    """The words around it, at most 120 characters."""


class Message(Struct, frozen=True, kw_only=True):
    """What the commit message of a landed change says, parsed by the upstream's grammar."""

    sha: str
    committed_at: datetime
    subject: str
    """First line as it stands."""
    title: str
    """Subject without trailing numbers."""
    number: int | None
    body: str
    """Cleaned: template text, trailers and quoted boilerplate gone."""
    raw_body: str
    kind: Kind
    breaking: bool = False
    tags: tuple[str, ...] = ()
    """Title tags or modules, lower case, in order."""
    facets: tuple[str, ...] = ()
    """Facets named by title and tags (neither by body nor by files: bodies speak of what they were
    tried with).
    """
    closes: tuple[int, ...] = ()
    mentions: tuple[Mention, ...] = ()
    parents: tuple[str, ...] = ()
