"""How far an upstream is looked at: its stored head, or an earlier one by ``--as-of``.

After the horizon nothing exists: no change, revert, tag or issue.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

from watcher.errors import RangeError, UsageError
from watcher.facts.change import BEFORE_RANGE, Change
from watcher.facts.ref import Tag
from watcher.pipeline.followed import FollowedUpstream
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.ports.walk import Walk

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?\Z")


class Horizon(Struct, frozen=True, kw_only=True):
    """The newest moment that is looked at. It is a ``pins.lookup.Line``."""

    head: str
    position: int
    """Of the head on the tracked branch."""
    at: datetime
    """Commit time of the head."""
    branch: str
    tags: tuple[Tag, ...]
    release_branches: tuple[tuple[str, str], ...]
    is_moved: bool = False
    """True when ``--as-of`` moved it."""


def position_of(store: Store, upstream: str, walk: Walk, sha: str) -> int | None:
    """Position of a first-parent commit; None when it is not on the stored line."""
    if sha == walk.base:
        return BEFORE_RANGE
    found = store.changes(upstream, ChangeFilter(shas=(sha,), parts=frozenset()))
    return found[0].position if found else None


def newest_horizon(store: Store, walk: Walk) -> Horizon:
    """The stored head."""
    position = position_of(store, walk.upstream, walk, walk.head)
    return Horizon(
        head=walk.head,
        position=BEFORE_RANGE if position is None else position,
        at=walk.head_at,
        branch=walk.branch,
        tags=walk.tags,
        release_branches=walk.release_branches,
    )


def horizon_at(followed: FollowedUpstream, store: Store, walk: Walk, as_of: str) -> Horizon:
    """The head as of a ref or a date (UTC, the whole day). Raises RangeError and UsageError."""
    newest = newest_horizon(store, walk)
    if _DATE.match(as_of):
        head = _last_before(store, walk, _moment(as_of), as_of)
    else:
        head = _change_of_ref(followed, store, walk, as_of)
    at = head.message.committed_at
    return Horizon(
        head=head.sha,
        position=head.position if head.position is not None else newest.position,
        at=at,
        branch=walk.branch,
        tags=tuple(tag for tag in walk.tags if tag.committed_at <= at),
        release_branches=walk.release_branches,
        is_moved=True,
    )


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace(" ", "T").rstrip("Z"))
    except ValueError as error:
        raise UsageError(
            f"no such date: {text}", where="--as-of", mend="write YYYY-MM-DD"
        ) from error
    moment = moment.replace(tzinfo=UTC)
    return moment + timedelta(days=1, microseconds=-1) if len(text) == len("2026-01-01") else moment


def _last_before(store: Store, walk: Walk, moment: datetime, text: str) -> Change:
    changes = store.changes(walk.upstream, ChangeFilter(parts=frozenset()))
    before = [change for change in changes if change.message.committed_at <= moment]
    if not before:
        raise _outside(walk, text)
    return before[-1]


def _change_of_ref(followed: FollowedUpstream, store: Store, walk: Walk, ref: str) -> Change:
    sha = followed.mirror.resolve(ref)
    if sha is None:
        raise RangeError(
            f"`{ref}` is no ref of {walk.upstream} in the mirror",
            where="--as-of",
            mend="write a sha, tag or date inside the mirrored range, or run `watcher sync`",
        )
    on_line = followed.mirror.fork_point(sha, walk.head)
    found = store.changes(walk.upstream, ChangeFilter(shas=(on_line or sha,), parts=frozenset()))
    if not found:
        raise _outside(walk, ref)
    return found[0]


def _outside(walk: Walk, what: str) -> RangeError:
    return RangeError(
        f"`{what}` is older than what is mirrored of {walk.upstream}",
        where="--as-of",
        mend="set an earlier `since` for its pin and run `watcher sync`",
    )
