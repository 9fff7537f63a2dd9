"""Brings one upstream up to date: mirror, changes, links, search index. Gather, decide, apply.

What is stored moves from one complete state to the next in one transaction; the line table and the
search index are derived and named by the state that they belong to.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.errors import MirrorError
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.sync_state import FACTS_VERSION, index_marker, walk_of
from watcher.pipeline.walk_plan import WalkPlan, lost_line_table, plan_walk
from watcher.ports.mirror import MirrorRequest, MirrorState
from watcher.ports.progress import Progress
from watcher.ports.store import Store
from watcher.ports.walk import Walk

if TYPE_CHECKING:
    from watcher.pipeline.words import WordsResult


class SyncResult(Struct, frozen=True, kw_only=True):
    """What a sync of one upstream did."""

    upstream: str
    new_changes: int
    walk: Walk
    restarted: str = ""
    """Why the whole history was read anew; empty otherwise."""
    fetched_bytes: int = 0
    missing_refs: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    words: WordsResult | None = None
    """What came from GitHub; None where its API is off."""


def sync_upstream(
    followed: FollowedUpstream,
    store: Store,
    request: MirrorRequest,
    *,
    now: datetime,
    progress: Progress,
) -> SyncResult:
    """Bring one upstream up to date. Raises MirrorError and StoreError; nothing is half done."""
    state = followed.mirror.update(request, progress)
    stored = store.walk(followed.upstream)
    if stored is not None and _plan(followed, stored, state).is_current:
        return _read(followed, store, state, now=now, progress=progress)
    with followed.alone():
        # a process before this one may have moved the mirror on
        newest = followed.mirror.state()
        if newest is not None and newest.head != state.head:
            state = newest
        return _read(followed, store, state, now=now, progress=progress)


def _read(
    followed: FollowedUpstream,
    store: Store,
    state: MirrorState,
    *,
    now: datetime,
    progress: Progress,
) -> SyncResult:
    """From the mirror's state to the store, the line table and the index."""
    stored = store.walk(followed.upstream)
    plan = _plan(followed, stored, state)
    if stored is not None and plan.is_current:
        walk = walk_of(followed, state, now, stored.lineage_key, stored.boilerplate)
        store.save_walk(walk, (), tuple, restart=False)
        if followed.index.marker() != index_marker(walk):
            from watcher.pipeline.reindex import reindex

            reindex(followed, store, walk)
        return _result(followed, state, walk, plan, 0)
    # imported when there is something to read: an idle sync does not pay for the parsers
    from watcher.pipeline.walk_history import HistoryWalk, load_lineage

    lineage = None if stored is None or plan.restart else load_lineage(followed, stored)
    if lineage is None and not plan.restart:
        plan = lost_line_table(state)
    if plan.reason:
        progress.note(f"{followed.upstream}: reading the history anew, since {plan.reason}")
    walk, count = HistoryWalk(followed, store, state, plan, lineage, progress).run(now, stored)
    return _result(followed, state, walk, plan, count)


def _plan(followed: FollowedUpstream, stored: Walk | None, state: MirrorState) -> WalkPlan:
    key = None if stored is None else stored.lineage_key
    return plan_walk(
        stored,
        state,
        facts_version=FACTS_VERSION,
        has_lineage=key is not None and followed.lineage.has(key),
        head_continues=stored is not None and _continues(followed, stored.head, state.head),
    )


def _continues(followed: FollowedUpstream, stored_head: str, head: str) -> bool:
    if stored_head == head:
        return True
    try:
        return followed.mirror.is_ancestor(stored_head, head)
    except MirrorError:
        return False


def _result(
    followed: FollowedUpstream, state: MirrorState, walk: Walk, plan: WalkPlan, count: int
) -> SyncResult:
    return SyncResult(
        upstream=followed.upstream,
        new_changes=count,
        walk=walk,
        restarted=plan.reason,
        fetched_bytes=state.fetched_bytes,
        missing_refs=state.missing_refs,
        notes=state.notes,
    )
