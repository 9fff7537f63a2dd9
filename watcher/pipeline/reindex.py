"""Fills the search index anew from the store, when it is lost or not level with it.

The index is derived: it is marked with the walk that it holds, and anything else is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from watcher.facts.change import BEFORE_RANGE
from watcher.facts.document import Document
from watcher.matching.document import document, issue_document
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.sync_state import index_marker
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.index import PackedDocument
from watcher.ports.store import Store
from watcher.ports.walk import Walk

_BATCH: Final = 500
_PARTS: Final = frozenset({Part.FILES, Part.CODE})


def reindex(followed: FollowedUpstream, store: Store, walk: Walk) -> None:
    """Bring the index up to a completed walk; no work when it is marked with it."""
    if followed.index.marker() == index_marker(walk):
        return
    with followed.index.adding(anew=True) as index:
        for packed in issue_documents(followed, store):
            index.add(packed)
        for change in _documents(followed, store):
            index.add(followed.index.pack(change))
        index.mark(index_marker(walk))


def index_issues(followed: FollowedUpstream, store: Store, numbers: tuple[int, ...]) -> None:
    """Write the documents of the issues with these numbers."""
    found = store.issues(followed.upstream, numbers)
    if found:
        followed.index.add([issue_document(one) for one in found])


def issue_documents(followed: FollowedUpstream, store: Store) -> Iterator[PackedDocument]:
    """The documents of all issues."""
    for one in store.issues(followed.upstream):
        yield followed.index.pack(issue_document(one))


def _documents(followed: FollowedUpstream, store: Store) -> Iterator[Document]:
    off_line = ChangeFilter(off_line=True, parts=_PARTS)
    yield from map(document, store.changes(followed.upstream, off_line))
    after = BEFORE_RANGE
    while True:
        which = ChangeFilter(after=after, until=after + _BATCH, parts=_PARTS)
        changes = store.changes(followed.upstream, which)
        if not changes:
            return
        yield from map(document, changes)
        after += _BATCH
