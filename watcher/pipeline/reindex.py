"""Keeps the search index level with the store: adds what is new, or fills it anew.

The index is derived: it is marked with the walk that it holds, and anything else is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from watcher.facts import Document
from watcher.matching.document import document, issue_document
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.sync_state import index_marker
from watcher.ports import ChangeFilter, Part, Store, Walk

_BATCH: Final = 500
_PARTS: Final = frozenset({Part.FILES, Part.CODE})


def reindex(
    followed: FollowedUpstream, store: Store, walk: Walk, *, after: int | None = None
) -> int:
    """Bring the index up to the walk; returns how many documents were written.

    Args:
        followed: The upstream.
        store: Holds the changes up to the walk's head.
        walk: The completed walk.
        after: Last position that an index marked with the walk before holds already.
    """
    marker = index_marker(walk)
    if followed.index.marker() == marker:
        return 0
    if after is None:
        followed.index.clear()
        index_issues(followed, store)
        after = -1
    count = _add(followed, _off_line(followed, store))
    for batch in _on_line(followed, store, after):
        count += _add(followed, batch)
    followed.index.mark(marker)
    return count


def index_issues(
    followed: FollowedUpstream, store: Store, numbers: tuple[int, ...] | None = None
) -> int:
    """Write the documents of issues (all, or those with these numbers)."""
    return _add(followed, [issue_document(one) for one in store.issues(followed.upstream, numbers)])


def _add(followed: FollowedUpstream, documents: list[Document]) -> int:
    if documents:
        followed.index.add(documents)
    return len(documents)


def _on_line(followed: FollowedUpstream, store: Store, after: int) -> Iterator[list[Document]]:
    while True:
        which = ChangeFilter(after=after, until=after + _BATCH, parts=_PARTS)
        changes = store.changes(followed.upstream, which)
        if not changes:
            return
        yield [document(change) for change in changes]
        after += _BATCH


def _off_line(followed: FollowedUpstream, store: Store) -> list[Document]:
    which = ChangeFilter(off_line=True, parts=_PARTS)
    return [document(change) for change in store.changes(followed.upstream, which)]
