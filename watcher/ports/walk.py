"""How far an upstream's history has been read. A record, no I/O."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from watcher.facts.ref import Tag


class Walk(Struct, frozen=True, kw_only=True):
    """How far an upstream's history has been read into the store."""

    upstream: str
    branch: str
    base: str | None
    head: str
    head_at: datetime
    """Commit time of the head: "known until"."""
    synced_at: datetime
    lineage_key: str | None
    """Name of the line-lineage state that belongs to this head."""
    boilerplate: tuple[str, ...] = ()
    """Normalised body lines found too often to mean anything."""
    facts_version: int = 0
    """Version of the parsers; an older one restarts the walk."""
    tags: tuple[Tag, ...] = ()
    release_branches: tuple[tuple[str, str], ...] = ()
