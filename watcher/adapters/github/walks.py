"""A page of issues from GitHub + how far the walk was -> how far it is now.

Pure. The ascending reading goes by activity time, not by page cursor: an issue that becomes active
meanwhile moves to the end and is met again, and nothing slips through a page's seam. Cursors serve
only inside a run of issues with one and the same time, and for the closed ones, where a shift can
only repeat.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from watcher.history.json_values import Node, node, nodes, time
from watcher.ports.issue_walk import IssueWalk


class PageEnd(Struct, frozen=True):
    """What the end of a page says."""

    has_next: bool
    cursor: str | None
    last_active: datetime | None


def page_end(page: Node) -> PageEnd:
    """The end of a GraphQL page of issues."""
    info = node(page, "pageInfo")
    cursor = info.get("endCursor")
    active = [at for found in nodes(page, "nodes") if (at := time(found.get("updatedAt")))]
    return PageEnd(
        has_next=info.get("hasNextPage") is True,
        cursor=cursor if isinstance(cursor, str) and len(cursor) < 1000 else None,
        last_active=active[-1] if active else None,
    )


def advance(walk: IssueWalk, repository: Node) -> IssueWalk:
    """The walk after an answer that holds ``page``, ``closed`` and ``latest`` or some of them."""
    if walk.is_first and walk.newest is None:
        latest = next(nodes(repository, "latest", "nodes"), None)
        walk = replace(walk, newest=time(latest.get("updatedAt")) if latest else walk.since)
    if "page" in repository:
        walk = _ascend(walk, page_end(node(repository, "page")))
    if "closed" in repository:
        walk = _descend(walk, page_end(node(repository, "closed")))
    return walk


def _ascend(walk: IssueWalk, end: PageEnd) -> IssueWalk:
    reached = walk.reached if end.last_active is None else max(walk.reached, end.last_active)
    if not end.has_next:
        return replace(walk, reached=reached, after=None, open_done=True)
    if reached > walk.reached:
        return replace(walk, reached=reached, after=None)
    if end.cursor is None or end.cursor == walk.after:
        return replace(walk, after=None, open_done=True)
    return replace(walk, after=end.cursor)


def _descend(walk: IssueWalk, end: PageEnd) -> IssueWalk:
    is_over = not end.has_next or end.cursor is None or end.cursor == walk.closed_after
    return replace(walk, closed_after=None if is_over else end.cursor, closed_done=is_over)
