"""The walk that a mirror's state stands for: what a sync writes down about itself."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from watcher.pipeline.followed import FollowedUpstream
from watcher.ports.mirror import MirrorState
from watcher.ports.walk import Walk

FACTS_VERSION: Final = 1
"""Raised when parsers give other facts: older walks are read anew."""


def walk_of(
    followed: FollowedUpstream,
    state: MirrorState,
    now: datetime,
    key: str | None,
    common: tuple[str, ...],
) -> Walk:
    """The walk that ends at the mirror's head. Raises MirrorError."""
    head_at = followed.mirror.committed_at(state.head)
    return Walk(
        upstream=followed.upstream,
        branch=state.branch,
        base=state.base,
        head=state.head,
        head_at=head_at or now,
        synced_at=now,
        lineage_key=key,
        boilerplate=common,
        facts_version=FACTS_VERSION,
        tags=state.tags,
        release_branches=state.release_branches,
    )


def index_marker(walk: Walk) -> str:
    """What the index of a walk is marked with."""
    return f"{walk.facts_version}:{walk.base}:{walk.head}"
