"""Everything that belongs to one upstream: its profile and its ports. No I/O by itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from watcher.ports import Index, LineageFiles, Mirror
from watcher.upstreams.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedUpstream:
    """One upstream with what reads and keeps it."""

    upstream: str
    """``owner/name``."""
    profile: Profile
    mirror: Mirror
    index: Index
    lineage: LineageFiles
    paths: tuple[str, ...] = ()
    """Directories whose diffs are read; empty means all."""
    alone: Callable[[], AbstractContextManager[None]] = nullcontext
    """Held while history is read into store, line table and index: one process at a time."""
