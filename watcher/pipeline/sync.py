"""Brings one upstream up to date: mirror, changes, links, search index. Gather, decide, apply.

What is stored moves from one complete state to the next in one transaction; the line table and the
search index are derived and named by the state that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from watcher.errors import MirrorError
from watcher.facts import BEFORE_RANGE, Change
from watcher.history.facets import FacetReader
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.link_history import link_history
from watcher.pipeline.read_history import HistoryReader
from watcher.pipeline.reindex import index_marker, reindex
from watcher.pipeline.walk_plan import WalkPlan, plan_walk
from watcher.pipeline.words import WordsResult
from watcher.ports import (
    MirrorRequest,
    MirrorState,
    Progress,
    Store,
    Walk,
)
from watcher.presence.lineage import Lineage
from watcher.presence.state import dump, load

FACTS_VERSION: Final = 1
"""Raised when parsers give other facts: older walks are read anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncResult:
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
    lineage = _load_lineage(followed, stored)
    plan = plan_walk(
        stored,
        state,
        facts_version=FACTS_VERSION,
        has_lineage=lineage is not None,
        head_continues=stored is not None and _continues(followed, stored.head, state.head),
    )
    if stored is not None and plan.is_current:
        walk = _walk_of(followed, state, now, stored.lineage_key, stored.boilerplate)
        store.save_walk(walk, (), tuple, restart=False)
        reindex(followed, store, walk)
        return _result(followed, state, walk, plan, 0)
    if plan.reason:
        progress.note(f"{followed.upstream}: reading the history anew, since {plan.reason}")
    if plan.restart or lineage is None:
        lineage = _seeded(followed, plan.start, progress)
    return _Sync(followed, store, state, plan, lineage, progress).run(now, stored)


@dataclass(slots=True)
class _Sync:
    """One walk from a plan to the store."""

    followed: FollowedUpstream
    store: Store
    state: MirrorState
    plan: WalkPlan
    lineage: Lineage
    progress: Progress

    def run(self, now: datetime, stored: Walk | None) -> SyncResult:
        keeps = stored is not None and not self.plan.restart
        known = self.store.messages(self.followed.upstream) if keeps else []
        last = max(
            (one.position for one in known if one.position is not None), default=BEFORE_RANGE
        )
        reader = HistoryReader(
            followed=self.followed,
            branch=self.state.branch,
            lineage=self.lineage,
            next_position=last + 1,
            boilerplate=frozenset(stored.boilerplate if stored is not None and keeps else ()),
            progress=self.progress,
            facets=FacetReader(self.followed.profile),
        )
        reader.read_messages(self.plan.start, self.state.head)
        key = f"{self.state.head[:20]}-{FACTS_VERSION}"
        walk = _walk_of(self.followed, self.state, now, key, tuple(sorted(reader.boilerplate)))
        count = self.store.save_walk(
            walk,
            self._changes(reader, known, key),
            lambda: link_history(self.followed, self.state.tags, [*known, *reader.seen]),
            restart=not keeps,
        )
        self.followed.lineage.keep_only(key)
        can_add = stored is not None and self.followed.index.marker() == index_marker(stored)
        reindex(self.followed, self.store, walk, after=last if keeps and can_add else None)
        return _result(self.followed, self.state, walk, self.plan, count)

    def _changes(
        self, reader: HistoryReader, known: Sequence[Change], key: str
    ) -> Iterator[Change]:
        """New changes; when the line has been read, its table is written under the walk's name."""
        yield from reader.line(self.plan.start, self.state.head)
        self.followed.lineage.save(key, dump(self.lineage))
        shas = frozenset(change.sha for change in known)
        yield from reader.release_branches(self.state.release_branches, self.state.head, shas)


def _load_lineage(followed: FollowedUpstream, stored: Walk | None) -> Lineage | None:
    """The line table of the stored head; None when there is none, or one that cannot be read."""
    if stored is None or stored.lineage_key is None:
        return None
    saved = followed.lineage.load(stored.lineage_key)
    return None if saved is None else load(saved)


def _seeded(followed: FollowedUpstream, base: str | None, progress: Progress) -> Lineage:
    lineage = Lineage()
    if base is not None:
        progress.step(f"reading {followed.upstream} at its base", 0, None)
        lineage.seed(followed.mirror.blobs(base))
    return lineage


def _continues(followed: FollowedUpstream, stored_head: str, head: str) -> bool:
    if stored_head == head:
        return True
    try:
        return followed.mirror.is_ancestor(stored_head, head)
    except MirrorError:
        return False


def _walk_of(
    followed: FollowedUpstream,
    state: MirrorState,
    now: datetime,
    key: str | None,
    common: tuple[str, ...],
) -> Walk:
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
