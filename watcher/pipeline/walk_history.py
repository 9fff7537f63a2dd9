"""Reads what a plan says of an upstream's history, and saves it in one transaction.

Also the line table and the search index, which are derived and named by the state they belong to;
documents go into the index as their changes are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from watcher.errors import StoreError
from watcher.facts.change import BEFORE_RANGE, Change
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.link_history import link_history
from watcher.pipeline.read_change import RawChange, ReadingRules
from watcher.pipeline.read_history import HistoryReader
from watcher.pipeline.reindex import issue_documents, reindex
from watcher.pipeline.sync_state import FACTS_VERSION, index_marker, walk_of
from watcher.pipeline.walk_plan import WalkPlan
from watcher.ports.index import PackedDocument
from watcher.ports.mirror import MirrorState
from watcher.ports.progress import Progress
from watcher.ports.store import PackedChange, Store
from watcher.ports.walk import Walk
from watcher.presence.lineage import Lineage
from watcher.presence.state import dump, load


class HistoryWalk(Struct):
    """One walk from a plan to the store."""

    followed: FollowedUpstream
    store: Store
    state: MirrorState
    plan: WalkPlan
    lineage: Lineage | None
    """The line table of the stored head; None to begin one at the plan's start."""
    progress: Progress

    def run(self, now: datetime, stored: Walk | None) -> tuple[Walk, int]:
        """Read and save; returns the walk and how many changes it brought."""
        keeps = stored is not None and not self.plan.restart
        known = self.store.messages(self.followed.upstream) if keeps else []
        last = max(
            (one.position for one in known if one.position is not None), default=BEFORE_RANGE
        )
        reader = HistoryReader(
            followed=self.followed,
            branch=self.state.branch,
            lineage=self.lineage or Lineage(),
            next_position=last + 1,
            boilerplate=frozenset(stored.boilerplate if stored is not None and keeps else ()),
            progress=self.progress,
        )
        reader.read_messages(self.plan.start, self.state.head)
        key = f"{self.state.head[:20]}-{FACTS_VERSION}"
        walk = walk_of(self.followed, self.state, now, key, tuple(sorted(reader.boilerplate)))
        if stored is not None and keeps and self.followed.index.marker() != index_marker(stored):
            count = self._save(reader, known, walk, key, lambda _document: None)
            reindex(self.followed, self.store, walk)
        else:
            with self.followed.index.adding(anew=not keeps) as index:
                for one in () if keeps else issue_documents(self.followed, self.store):
                    index.add(one)
                count = self._save(reader, known, walk, key, index.add)
                index.mark(index_marker(walk))
        self.followed.lineage.keep_only(key)
        return walk, count

    def _save(
        self,
        reader: HistoryReader,
        known: Sequence[Change],
        walk: Walk,
        key: str,
        to_index: Callable[[PackedDocument], None],
    ) -> int:
        """Read the new commits into the store and the index; returns how many there are."""
        seen = [*known]
        rules = ReadingRules(
            upstream=self.followed.upstream,
            profile=self.followed.profile,
            boilerplate=reader.boilerplate,
            pack_change=self.store.pack,
            pack_document=self.followed.index.pack,
        )

        def rows() -> Iterator[PackedChange]:
            commits = self._commits(reader, frozenset(change.sha for change in known), key)
            expected = len(reader.messages)
            for read in self.followed.mapped(rules.reader, commits, expected=expected):
                seen.append(read.light)
                to_index(read.document)
                yield read.row

        return self.store.save_walk(
            walk,
            rows(),
            lambda: link_history(self.followed, self.state.tags, seen),
            restart=self.plan.restart,
        )

    def _commits(
        self, reader: HistoryReader, known: frozenset[str], key: str
    ) -> Iterator[RawChange]:
        """New commits; when the line has been read, its table is written under the walk's name."""
        if self.lineage is None:
            reader.seed(self.plan.start)
        yield from reader.line(self.plan.start, self.state.head)
        self.followed.lineage.save(key, dump(reader.lineage))
        yield from reader.release_branches(self.state.release_branches, self.state.head, known)


def load_lineage(followed: FollowedUpstream, stored: Walk) -> Lineage | None:
    """The line table of the stored head; None when there is none, or one that cannot be read."""
    saved = None if stored.lineage_key is None else followed.lineage.load(stored.lineage_key)
    if saved is None:
        return None
    try:
        return load(saved)
    except StoreError:  # derived: written by another version, or cut short; it is built anew
        return None
