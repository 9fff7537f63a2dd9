"""``GitMirror``: the port ``Mirror`` on a bare repository, one method a short way to its module."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from watcher.adapters.git import objects, repository, state, walk
from watcher.adapters.git.fetching import commit_dates, make_repository
from watcher.adapters.git.process import Git
from watcher.adapters.git.remote import check_remote, is_valid_ref
from watcher.adapters.git.request import FULL_SHA, SHORT_SHA
from watcher.errors import MirrorError, RangeError
from watcher.facts.ref import RefKind, RefMatch, Tag
from watcher.ports.mirror import MirrorRequest, MirrorState, PickResult, RawMessage
from watcher.ports.progress import Progress

LOCK_SECONDS: Final = 600.0
Found = TypeVar("Found")
_KINDS: Final = {"refs/tags/": RefKind.TAG, "refs/heads/": RefKind.BRANCH}


class GitMirror:
    """Our bare local clone of one upstream. Implements ``ports.Mirror``.

    ``directory`` is made by the first update. ``environment`` is the caller's: of it git sees the
    way to programs, keys, proxies and certificates. Commits are given as full shas, except to
    ``resolve`` and ``look_up``. Paths are text with undecodable bytes as surrogate escapes.
    """

    def __init__(
        self,
        directory: Path,
        *,
        git: str = "git",
        environment: Mapping[str, str],
        lock_seconds: float = LOCK_SECONDS,
    ) -> None:
        self._directory = directory
        self._git = Git(directory=directory, program=git, environment=environment)
        self._lock_seconds = lock_seconds

    # --- updating ---

    def update(self, request: MirrorRequest, progress: Progress) -> MirrorState:
        """Fetch incrementally under a lock. Raises MirrorError."""
        from watcher.adapters.git.update import Update  # half of this package: readers go without

        remote = check_remote(request.remote, request.token)
        try:
            with self._locked():
                saved = state.load(self._directory)
                self._make_ready()
                new = Update(self._git, remote, request, progress, saved).run()
                if new != saved:
                    state.save(self._directory, new)
                if not new.lost:
                    repository.join_packs(self._git)
        except OSError as error:
            raise self._unwritable(error) from error
        return new.state

    def state(self) -> MirrorState | None:
        """What the last good update left, or None."""
        saved = state.load(self._directory)
        return saved.state if saved else None

    def check(self) -> str | None:
        """What is wrong with the stored objects, or None. Reads everything: for ``doctor``."""
        saved = state.load(self._directory)
        outcome = self._git.run(["fsck", "--connectivity-only", "--no-dangling"], seconds=1800)
        lost = set(saved.lost) if saved else set()
        text = outcome.output.decode("utf-8", "replace") + outcome.error
        lines = re.sub(r"\n +to ", " to ", text).splitlines()
        wrong = [line for line in lines if not lost.intersection(line.split())]
        return None if outcome.is_good or not wrong else wrong[0]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the mirror alone. Raises MirrorError naming the holder after the time."""
        from filelock import FileLock, Timeout  # brings asyncio: readers do not pay for it

        self._directory.parent.mkdir(parents=True, exist_ok=True)
        holder = self._directory.with_name(f"{self._directory.name}.holder")
        try:
            with FileLock(f"{self._directory}.lock", timeout=self._lock_seconds):
                holder.write_text(f"process {os.getpid()}", encoding="utf-8")
                yield
        except Timeout:
            try:
                who = holder.read_text(encoding="utf-8", errors="replace")[:100]
            except OSError:
                who = "another process"
            raise MirrorError(
                f"{who} is updating this mirror",
                where=str(self._directory),
                mend="wait until it is done, or stop it",
            ) from None

    def _make_ready(self) -> None:
        repository.clear_leftovers(self._directory)
        make_repository(self._git)

    def _unwritable(self, error: OSError) -> MirrorError:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        return MirrorError(
            "the disk is full" if full else f"cannot be written: {error.strerror or error}",
            where=str(self._directory),
            mend="free some space, then run it again" if full else "check its owner and mode",
        )

    # --- refs and ancestry ---

    def resolve(self, ref: str) -> str | None:
        """Full sha of a commit for a sha (also abbreviated), tag or branch; None when unknown or
        ambiguous.
        """
        shas = {match.sha for match in self.look_up(ref)}
        return shas.pop() if len(shas) == 1 else None

    def look_up(self, ref: str) -> Sequence[RefMatch]:
        """What a ref may mean: tags, branches and commits of that name."""
        if not is_valid_ref(ref) or not self._exists():
            return ()
        full = [prefix + ref.removeprefix(prefix) for prefix in _KINDS]
        names = [f"{name}^{{commit}}" for name in full]
        names += [f"{ref}^{{commit}}"] if FULL_SHA.fullmatch(ref) or ref == "HEAD" else []
        checked = self._git.read(
            ["cat-file", "--batch-check"], stdin="".join(f"{name}\n" for name in names).encode()
        )
        kinds = [*_KINDS.values(), RefKind.SHA]
        matches = [
            RefMatch(row[0], kind)
            for kind, line in zip(
                kinds, checked.decode("utf-8", "replace").splitlines(), strict=False
            )
            if len(row := line.split()) == 3 and row[1] == "commit"
        ]
        if SHORT_SHA.fullmatch(ref):
            named = repository.commits_named(self._git, ref)
            matches += [RefMatch(sha, RefKind.SHA) for sha in named]
        return tuple(matches)

    def merge_base(self, one: str, other: str) -> str | None:
        """Best common ancestor, or None."""
        self._check(one, other)
        return repository.merge_base(self._git, one, other)

    def fork_point(self, sha: str, head: str) -> str | None:
        """The newest first-parent commit of ``head`` that ``sha`` holds, or None."""
        self._check(sha, head)
        return walk.fork_point(self._git, sha, head)

    def committed_at(self, sha: str) -> datetime | None:
        """Commit time in UTC, None for an unknown sha."""
        if not FULL_SHA.fullmatch(sha) or not self._exists():
            return None
        seconds = commit_dates(self._git, [sha]).get(sha)
        return None if seconds is None else walk.moment(seconds)

    def commits_between(self, base: str, tip: str) -> Sequence[str]:
        """Commits of ``base..tip``, all parents, merges left out, oldest first."""
        self._check(base, tip)
        arguments = ["rev-list", "--no-merges", *walk.order(first_parent=False), "--stdin"]
        return (
            self._git.read(arguments, stdin=walk.revisions(self._git, base, tip)).decode().split()
        )

    def is_ancestor(self, one: str, other: str) -> bool:
        """True when ``other`` holds ``one``; a commit holds itself."""
        self._check(one, other)
        return self._git.run(["merge-base", "--is-ancestor", one, other]).is_good

    def first_releases(self, tags: Sequence[Tag]) -> dict[str, str]:
        """Commit -> name of the first of the tags, in the order given, that holds it."""
        self._check(*(tag.sha for tag in tags))
        return walk.first_releases(self._git, tags)

    # --- walks ---

    def messages(
        self, base: str | None, tip: str, *, first_parent: bool = True
    ) -> Iterator[RawMessage]:
        """Commits of ``base..tip`` oldest first, without diffs."""
        self._check(tip, *([base] if base else []))
        found = walk.read_messages(self._git, base, tip, first_parent=first_parent)
        return self._about(found, base, tip)

    def patches(
        self, base: str | None, tip: str, *, paths: Sequence[str] = (), first_parent: bool = True
    ) -> Iterator[list[bytes]]:
        """Lines of one streaming ``git log -p -U0 -M50``; the protocol is in ``ports.Mirror``."""
        from watcher.adapters.git import patches

        self._check(tip, *([base] if base else []))
        found = patches.read_patches(
            self._git, (base, tip), paths=paths, first_parent=first_parent, lost=self._lost()
        )
        return self._about(found, base, tip)

    def patch_of(self, sha: str, *, context: int = 3, paths: Sequence[str] = ()) -> str:
        """The diff of one commit against its first parent, for showing and for applying."""
        from watcher.adapters.git import patches

        self._check(sha)
        if sha in repository.shallow_commits(self._directory):
            raise RangeError(f"{sha[:9]} is at the edge of the mirrored range")
        found = patches.read_patch(self._git, sha, context=context, paths=paths)
        return b"".join(self._about(found, sha)).decode("utf-8", "replace")

    def patch_ids(self, shas: Sequence[str]) -> Mapping[str, str]:
        """Stable patch-id of each commit (merge commits and empty diffs are left out)."""
        from watcher.adapters.git import patches

        self._check(*shas)
        return patches.read_patch_ids(self._git, shas, self._lost())

    def patch_id_of_text(self, patch: str) -> str | None:
        """Stable patch-id of a patch file's text."""
        from watcher.adapters.git import patches

        return patches.patch_id_of_text(self._git, patch)

    # --- files ---

    def files(self, sha: str, *, under: str = "") -> Sequence[str]:
        """Paths of the regular files in the tree of a commit."""
        self._check(sha)
        return tuple(entry.path for entry in self._entries(sha, under))

    def blobs(self, sha: str, paths: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """(path, content) of the given paths, or of every regular file, at a commit."""
        self._check(sha)
        entries = self._entries(sha)
        if paths is not None:
            wanted = frozenset(paths)
            entries = [entry for entry in entries if entry.path in wanted]
        return objects.read_blobs(self._git, entries)

    def read(self, sha: str, path: str) -> bytes | None:
        """One file at a commit, or None."""
        self._check(sha)
        entries = [entry for entry in self._entries(sha, path) if entry.path == path]
        return next((content for _, content in objects.read_blobs(self._git, entries)), None)

    def try_pick(self, onto: str, picks: Sequence[str]) -> PickResult:
        """Apply commits in order onto a commit; the mirror is never written."""
        from watcher.adapters.git import pick

        self._check(onto, *picks)
        return pick.try_pick(self._git, onto, picks)

    def _entries(self, sha: str, under: str = "") -> list[objects.Entry]:
        return list(self._about(objects.list_files(self._git, sha, under), sha))

    def _about(self, found: Iterator[Found], *shas: str | None) -> Iterator[Found]:
        """What is found; a failure because of an unknown commit is told as such, not as damage."""
        try:
            yield from found
        except MirrorError:
            saved = state.load(self._directory)
            if saved is not None and self._holds(saved.state.head):
                for sha in shas:
                    if sha is not None and not self._holds(sha):
                        raise RangeError(f"{sha[:9]} is not in the mirror") from None
            raise

    def _holds(self, sha: str) -> bool:
        return self._git.run(["cat-file", "-e", sha]).is_good

    def picked_patch(
        self, onto: str, picks: Sequence[str], *, paths: Sequence[str] = ()
    ) -> str | None:
        """What such picks change of the commit, as one diff; None when they conflict."""
        from watcher.adapters.git import pick

        self._check(onto, *picks)
        patch = pick.picked_patch(self._git, onto, picks, paths)
        return None if patch is None else patch.decode("utf-8", "surrogateescape")

    def _lost(self) -> Sequence[str]:
        saved = state.load(self._directory)
        return saved.lost if saved else ()

    def _exists(self) -> bool:
        return (self._directory / "HEAD").exists()

    def _check(self, *shas: str) -> None:
        """Raises RangeError unless every argument is a full sha, MirrorError without a mirror."""
        for sha in shas:
            if not FULL_SHA.fullmatch(sha):
                raise RangeError(f"not a full commit name: {re.escape(sha)[:60]}")
        if not self._exists():
            raise MirrorError(
                "there is no mirror yet", where=str(self._directory), mend="run `watcher sync`"
            )
