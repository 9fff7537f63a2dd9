"""Gets refs from a remote by whichever way works: an ordinary fetch, or around lost objects."""

from __future__ import annotations

from collections.abc import Mapping

from watcher.adapters.git import borrow, lossy, repository
from watcher.adapters.git.fetching import Ending, Fetched, Fetcher
from watcher.adapters.git.process import Git
from watcher.adapters.git.remote import Remote
from watcher.adapters.git.request import PINS
from watcher.errors import MirrorError
from watcher.ports.progress import Progress


class Transfer:
    """Transfers from one remote during one update."""

    def __init__(self, git: Git, remote: Remote, progress: Progress, *, is_lossy: bool) -> None:
        self._git, self._remote, self._progress = git, remote, progress
        self._fetcher = Fetcher(git, remote, progress)
        self.is_lossy = is_lossy
        """True once the remote was found to lack objects."""
        self.size = 0
        """Bytes received so far."""

    def get(self, targets: Mapping[str, str], cutoff: int | None) -> Fetched:
        """Bring refs (name in the mirror -> commit) and their history since the cutoff.

        The ending is ``DONE`` or tells why not. Raises MirrorError.
        """
        fetched = Fetched(Ending.LOST_OBJECT)
        if not self.is_lossy:
            fetched = self._fetcher.fetch(_refspecs(targets), *self._depth(cutoff))
        if fetched.ending is Ending.LOST_OBJECT:
            if not self.is_lossy:
                self._progress.note(
                    "the remote lacks objects of its own history; taking what it has"
                )
            self.is_lossy = True
            fetched = self._get_around(targets, cutoff)
        self.size += fetched.size
        return fetched

    def _get_around(self, targets: Mapping[str, str], cutoff: int | None) -> Fetched:
        objects = borrow.objects_of(self._remote.address)
        if objects is not None:
            try:
                size = borrow.borrow(self._git, objects, targets, cutoff)
            except (OSError, MirrorError) as error:
                self._progress.note(f"the remote's objects cannot be taken as files: {error}")
            else:
                return Fetched(Ending.DONE, size=size)
        specs = _refspecs(targets)
        return lossy.fetch_around(
            self._git, self._remote, self._progress, specs, self._depth(cutoff)
        )

    def _depth(self, cutoff: int | None) -> tuple[str, ...]:
        if cutoff is not None:
            return (f"--shallow-since={cutoff}",)
        return ("--unshallow",) if repository.shallow_commits(self._git.directory) else ()


def _refspecs(targets: Mapping[str, str]) -> list[str]:
    """What to ask for: refs by their own name, single commits by theirs."""
    return [f"+{sha if name.startswith(PINS) else name}:{name}" for name, sha in targets.items()]
