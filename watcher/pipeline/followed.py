"""Everything that belongs to one upstream: its profile and its ports. No I/O by itself."""

from __future__ import annotations

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
