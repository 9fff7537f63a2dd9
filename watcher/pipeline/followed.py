"""Everything that belongs to one upstream: its profile and its ports. No I/O by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext

from msgspec import Struct

from watcher.ports.index import Index
from watcher.ports.lineage_files import LineageFiles
from watcher.ports.mapped import Mapped, Outcome, Task
from watcher.ports.mirror import Mirror
from watcher.upstreams.profile import Profile


def mapped_here(
    make: Callable[[], Callable[[Task], Outcome]],
    tasks: Iterable[Task],
    *,
    expected: int,  # noqa: ARG001  as ``Mapped`` is called
) -> Iterator[Outcome]:
    """``Mapped`` in this process."""
    return map(make(), tasks)


class FollowedUpstream(Struct, frozen=True, kw_only=True):
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
    mapped: Mapped = mapped_here
    """How many commits are read that do not depend on each other."""
