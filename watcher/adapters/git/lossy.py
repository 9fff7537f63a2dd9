"""The way around a remote that lacks objects of its own history.

An ordinary fetch from such a remote dies. Here commits and trees are fetched first, then every
file content of the range in batches, leaving out what the remote turns out not to have. The
result is an ordinary mirror in which some known objects are missing; nothing is fetched later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from watcher.adapters.git.fetching import Ending, Fetched, Fetcher, write_configuration
from watcher.adapters.git.lines import split_lines
from watcher.adapters.git.process import Git
from watcher.adapters.git.remote import Remote
from watcher.ports.progress import Progress

BATCH: Final = 500_000
"""A large batch lets a server send most contents as it has stored them, as deltas."""
ASK_ONLY: Final = {"fetch.negotiationAlgorithm": "noop"}
"""Objects are asked for by name; what is held already does not matter."""
MOST_REFUSALS: Final = 2_000
"""Fetches that may fail before we give up on a remote: it lacks too much to be of use."""


def fetch_around(
    git: Git, remote: Remote, progress: Progress, refspecs: Iterable[str], options: Sequence[str]
) -> Fetched:
    """Fetch refs whose objects the remote has only in part. Raises MirrorError."""
    skeleton = Fetcher(git, remote, progress).fetch(refspecs, "--filter=blob:none", *options)
    try:
        if skeleton.ending is not Ending.DONE:
            raise remote.failure(skeleton.error)
        return replace(skeleton, size=skeleton.size + _fetch_contents(git, remote, progress))
    finally:
        write_configuration(git.directory)


def find_lost(git: Git) -> tuple[str, ...]:
    """File contents that the mirror's refs reach and the mirror does not hold.

    All that are reached less all that are held: asking for each missing object by name would
    make git look through its packs every time.
    """
    listing = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"]
    has = frozenset(split_lines(git.stream([*listing, "--buffer"])))
    reached = ["rev-list", "--objects", "--all", "--filter=blob:none", "--filter-print-omitted"]
    lines = split_lines(git.stream([*reached, "--no-object-names"]))
    contents = (line[1:41] for line in lines if line.startswith(b"~"))
    return tuple(oid.decode("ascii") for oid in contents if oid not in has)


def _fetch_contents(git: Git, remote: Remote, progress: Progress) -> int:
    """Fetch all missing file contents; the bytes received. Halves a batch that fails."""
    asking = replace(git, settings={**(git.settings or {}), **ASK_ONLY})
    fetcher = Fetcher(asking, remote, progress)
    needed = find_lost(git)
    batches = [needed[start : start + BATCH] for start in range(0, len(needed), BATCH)]
    size = refusals = 0
    while batches:
        batch = batches.pop()
        fetched = fetcher.fetch(batch, "--filter=blob:none", compress=False)
        size += fetched.size
        if fetched.ending is Ending.DONE:
            continue
        refusals += 1
        if fetched.ending not in {Ending.LOST_OBJECT, Ending.NOT_OURS} or refusals > MOST_REFUSALS:
            raise remote.failure(fetched.error)
        if fetched.object in batch:
            batches.append(tuple(oid for oid in batch if oid != fetched.object))
        elif len(batch) > 1:
            middle = len(batch) // 2
            batches += [batch[:middle], batch[middle:]]
    return size
