"""The bare local clone of one upstream, and what is asked of it. Declarations, no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from watcher.facts.ref import Tag

if TYPE_CHECKING:
    from watcher.facts.ref import RefMatch
    from watcher.ports.progress import Progress


class MirrorRequest(Struct, frozen=True, kw_only=True):
    """What to bring up to date in one upstream's mirror."""

    remote: str
    """``https://``, ``http://``, ``ssh://``, ``git@`` or ``file://`` address."""
    branch: str
    refs: tuple[str, ...]
    """Pinned refs and shas that must be inside (best effort for shas; forks too).

    A version number (``0.8.5``) that is no ref stands for the tag whose version is equal
    (``pins.releases.match_release``).
    """
    since: datetime | str | None
    """History to keep: a time, a ref, or None for 90 days before the earliest fork point."""
    tag_pattern: str
    release_branch_pattern: str
    token: str | None = None
    extra_remotes: tuple[str, ...] = ()
    """Forks from which pinned commits may be fetched."""
    large: bool = False
    size_hint_mb: int | None = None


class MirrorState(Struct, frozen=True, kw_only=True):
    """What the mirror holds after an update."""

    head: str
    branch: str
    base: str | None
    """Oldest first-parent commit that is in full (its own diff is not walked); None when the root
    is inside.
    """
    tags: tuple[Tag, ...]
    release_branches: tuple[tuple[str, str], ...]
    """(name, tip sha)."""
    missing_refs: tuple[tuple[str, str], ...] = ()
    """(ref, reason) of what could not be had."""
    fetched_bytes: int = 0
    notes: tuple[str, ...] = ()


class RawMessage(Struct, frozen=True):
    """One commit as ``git log`` prints it, without its diff."""

    sha: str
    parents: tuple[str, ...]
    committed_at: datetime
    message: str


class PickResult(Struct, frozen=True, kw_only=True):
    """Outcome of a trial cherry-pick on the mirror's objects."""

    is_clean: bool
    is_empty: bool = False
    """True when the pick would change nothing."""
    conflicts: tuple[str, ...] = ()
    tree: str | None = None
    stopped_at: str | None = None
    """The pick that conflicts; those before it were clean."""


class Mirror(Protocol):
    """Our bare local clone of one upstream. All reading is offline; only ``update`` talks to the
    remote.
    """

    def update(self, request: MirrorRequest, progress: Progress) -> MirrorState:
        """Fetch incrementally under a lock. Raises MirrorError."""
        ...

    def state(self) -> MirrorState | None:
        """What the last good update left, or None."""
        ...

    def resolve(self, ref: str) -> str | None:
        """Full sha of a commit for a sha (also abbreviated), tag or branch; None when unknown or
        ambiguous.
        """
        ...

    def merge_base(self, one: str, other: str) -> str | None:
        """Best common ancestor, or None."""
        ...

    def look_up(self, ref: str) -> Sequence[RefMatch]:
        """What a ref may mean: tag, tracked or release branch, full or abbreviated sha.

        One entry when it is known, several for an ambiguous abbreviation (also one of a tag's and
        a branch's name), none when unknown. Always commits, never tag objects.
        """
        ...

    def fork_point(self, sha: str, head: str) -> str | None:
        """The newest first-parent commit of ``head`` that ``sha`` holds (``sha`` itself on the
        line); None when there is none in the mirror.
        """
        ...

    def committed_at(self, sha: str) -> datetime | None:
        """Commit time in UTC, None for an unknown sha."""
        ...

    def commits_between(self, base: str, tip: str) -> Sequence[str]:
        """Commits of ``base..tip``, all parents, merges left out, oldest first."""
        ...

    def is_ancestor(self, one: str, other: str) -> bool:
        """True when ``other`` holds ``one``; a commit holds itself."""
        ...

    def first_releases(self, tags: Sequence[Tag]) -> Mapping[str, str]:
        """Commit -> name of the first of the tags, in the order given, that holds it.

        One walk over all history that the tags hold in the mirror.
        """
        ...

    def messages(
        self, base: str | None, tip: str, *, first_parent: bool = True
    ) -> Iterator[RawMessage]:
        """Commits of ``base..tip`` oldest first, without diffs."""
        ...

    def patches(
        self, base: str | None, tip: str, *, paths: Sequence[str] = (), first_parent: bool = True
    ) -> Iterator[Sequence[bytes]]:
        r"""Lines, in batches as they come, of one streaming ``git log -p -U0 -M50`` over
        ``base..tip``, oldest first.

        The line protocol, all bytes, each line without its ``\n``, cut after 64 KiB:

        * ``\x01<40-hex sha>`` starts each commit, also one that touches nothing; no other line
          of the format starts with ``\x01`` or ``\x02``.
        * ``\x02<path>\x00<reason>``, only directly after a commit's line: a file of that commit
          whose content is missing in the mirror; the file does not appear otherwise.
        * an empty line parts the commit's line from its diff; skip it.
        * then git's own diff, merges against their first parent: ``diff --git a/OLD b/NEW``;
          ``old mode``, ``new mode``, ``new file mode``, ``deleted file mode``, ``similarity
          index``, ``rename from``, ``rename to``; ``index A..B``; ``--- a/OLD``, ``+++ b/NEW``
          (or ``/dev/null``); hunks ``@@ -S,N +S,N @@ HEADER`` with ``-`` and ``+`` lines and
          ``\ No newline at end of file``. No context lines (``-U0``), no copies.
        * ``Binary files a/OLD and b/NEW differ`` in place of hunks: touched, no lines given.
          That are binary files, files over 4 MB and documents that say nothing of code (images,
          notebooks, lock files, tables, translations).
        * HEADER is the nearest preceding ``class`` or ``def`` line (Python) with its indentation
          kept, or the function's line (C, C++, CUDA), at most 80 bytes.
        * paths are bytes as git stores them; one with a quote, backslash or control character is
          C-quoted by git (``"a/\303\244\"b"`` style, octal escapes). ``---`` and ``+++`` paths
          with a space end in a tab.

        Commits at the shallow boundary are never given. Raises MirrorError when git fails.
        """
        ...

    def patch_of(self, sha: str, *, context: int = 3, paths: Sequence[str] = ()) -> str:
        """The diff of one commit against its first parent, for showing."""
        ...

    def patch_ids(self, shas: Sequence[str]) -> Mapping[str, str]:
        """Stable patch-id of each commit (merge commits and empty diffs are left out)."""
        ...

    def patch_id_of_text(self, patch: str) -> str | None:
        """Stable patch-id of a patch file's text."""
        ...

    def files(self, sha: str, *, under: str = "") -> Sequence[str]:
        """Paths in the tree of a commit."""
        ...

    def blobs(self, sha: str, paths: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """(path, content) of the given paths, or of every regular file, at a commit; missing ones
        are left out.
        """
        ...

    def read(self, sha: str, path: str) -> bytes | None:
        """One file at a commit, or None."""
        ...

    def try_pick(self, onto: str, picks: Sequence[str]) -> PickResult:
        """Apply commits in order onto a commit, in a scratch object store; the mirror is never
        written.
        """
        ...

    def picked_patch(
        self, onto: str, picks: Sequence[str], *, paths: Sequence[str] = ()
    ) -> str | None:
        """What such picks change of the commit, as one diff of the given paths (all when there are
        none); None when they conflict. Undecodable bytes are surrogate escapes.
        """
        ...
