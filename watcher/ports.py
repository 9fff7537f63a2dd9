"""What the use cases need from outside: small protocols, named after the outside thing.

Pure declarations, no I/O. ``adapters`` and ``store`` implement them; ``app`` wires them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NewType, Protocol, TypeAlias, TypeVar

from msgspec import Struct, field

from watcher.facts import (
    Change,
    Document,
    Issue,
    IssueLink,
    Links,
    PullRequestWords,
    RefMatch,
    Tag,
)

if TYPE_CHECKING:
    from watcher.digest.record import Digest

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""What a JSON document may hold."""


class Clock(Protocol):
    """The time, asked for once per use case."""

    def now(self) -> datetime:
        """Aware UTC time."""
        ...


class Progress(Protocol):
    """Where long work tells how far it is; a bar on a terminal, nothing elsewhere."""

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        """Tell that ``done`` of ``total`` (None unknown) units of ``task`` are done."""
        ...

    def note(self, line: str) -> None:
        """Tell one line (expected size, restart of a walk)."""
        ...


class Mapped(Protocol):
    """``map`` for work that may be done elsewhere, such as in a second process."""

    def __call__(
        self, make: Callable[[], Callable[[Task], Outcome]], tasks: Iterable[Task], *, expected: int
    ) -> Iterator[Outcome]:
        """Outcomes in the order of the tasks, which are taken as the work goes on.

        ``expected`` is about how many there will be. ``make`` gives the function that is mapped,
        once in each place; it, the tasks and the outcomes can be pickled, and the function is
        pure: a task may be done twice.
        """
        ...


# --- git ---


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


# --- store ---


class Walk(Struct, frozen=True, kw_only=True):
    """How far an upstream's history has been read into the store."""

    upstream: str
    branch: str
    base: str | None
    head: str
    head_at: datetime
    """Commit time of the head: "known until"."""
    synced_at: datetime
    lineage_key: str | None
    """Name of the line-lineage state that belongs to this head."""
    boilerplate: tuple[str, ...] = ()
    """Normalised body lines found too often to mean anything."""
    facts_version: int = 0
    """Version of the parsers; an older one restarts the walk."""
    tags: tuple[Tag, ...] = ()
    release_branches: tuple[tuple[str, str], ...] = ()


class Part(StrEnum):
    """A part of a change that costs time to read; the message and its numbers always come along."""

    FILES = "files"
    """Touched files with roles and functions."""
    CODE = "code"
    """Identifiers, strings, configuration keys and guards."""
    ORIGINS = "origins"
    """The record that the presence verdict rests on."""
    RAW_BODY = "raw-body"
    """The message body as it stands."""


ALL_PARTS: Final = frozenset(Part)
LIGHT_PARTS: Final = frozenset({Part.FILES})
"""What a list needs: everything but identifiers, origins and the raw body."""


class ChangeFilter(Struct, frozen=True, kw_only=True):
    """Which changes to read. None means no restriction."""

    after: int | None = None
    """Positions greater than this."""
    until: int | None = None
    """Positions up to this."""
    shas: tuple[str, ...] | None = None
    numbers: tuple[int, ...] | None = None
    paths: tuple[str, ...] | None = None
    off_line: bool | None = False
    """False: only the tracked line; True: only release branches; None: both.

    ``after`` and ``until`` bound the tracked line alone.
    """
    parts: frozenset[Part] = ALL_PARTS
    """What to read; the fields of other parts are left empty."""


EVERY_CHANGE: Final = ChangeFilter()
"""The whole tracked line, all parts."""


class Delivery(Struct, frozen=True):
    """One send attempt's state in the outbox."""

    key: str
    """Channel and day: what makes it one message."""
    channel: str
    payload: str
    state: str
    """``pending``, ``sending``, ``sent``, ``given-up``; ``quiet`` for a day without news."""
    attempts: int
    next_try_at: datetime | None
    created_at: datetime
    error: str | None = None


class Decision(Struct, frozen=True, kw_only=True):
    """What somebody decided about an item of a pin; the latest one of a pin and item holds."""

    pin: str
    item: str
    """Item name, ``verl#6463``."""
    state: str
    """``acknowledged``, ``ignored`` or ``open`` (an earlier decision taken back)."""
    at: datetime
    reason: str = ""
    until: str | None = None
    """When the ground ends: an ISO date, ``released``, ``pin-moves``; None for good."""
    by: str | None = None
    """Who, if known."""


class Sighting(Struct, frozen=True):
    """Since when an item is known for a pin."""

    first_seen_at: datetime
    is_seen: bool
    """True once it was told to somebody."""
    is_current: bool
    """False when the last findings did not hold it any more."""


PackedChange = NewType("PackedChange", bytes)
"""A change in the form in which a store sets it aside."""


class Store(Protocol):
    """Facts, findings, decisions, deliveries. Every ``save`` is one transaction. Raises
    StoreError.
    """

    def walk(self, upstream: str) -> Walk | None:
        """The last completed walk, or None."""
        ...

    @property
    def pack(self) -> Callable[[Change], PackedChange]:
        """Pure, and can be handed to another process."""
        ...

    def save_walk(
        self,
        walk: Walk,
        changes: Iterable[Change | PackedChange],
        links: Callable[[], Iterable[Links]],
        *,
        restart: bool,
    ) -> int:
        """Stream new changes into the store, then links, then the walk itself: all or nothing.

        A change that is there already is replaced, and so are the links of the changes that
        ``links`` gives; it is called after the changes are consumed, before anything is written.
        ``restart`` removes the upstream's earlier changes and links. Returns how many changes were
        saved.
        """
        ...

    def changes(self, upstream: str, which: ChangeFilter = EVERY_CHANGE) -> list[Change]:
        """Changes in order of position."""
        ...

    def messages(self, upstream: str) -> list[Change]:
        """All changes with messages and files' paths but no identifiers, strings or origins: for
        linking.
        """
        ...

    def links(self, upstream: str, shas: Sequence[str] | None = None) -> dict[str, Links]:
        """Links by sha."""
        ...

    def find_changes(self, upstream: str, number: int) -> list[str]:
        """Shas of the changes with a number, landed order."""
        ...

    def save_issues(self, issues: Iterable[Issue]) -> None:
        """Upsert by (upstream, number)."""
        ...

    def issues(
        self,
        upstream: str,
        numbers: Sequence[int] | None = None,
        parts: frozenset[Part] = ALL_PARTS,
    ) -> list[Issue]:
        """Issues, newest activity first; without ``Part.RAW_BODY`` their raw bodies stay empty."""
        ...

    def save_words(self, words: Iterable[PullRequestWords]) -> None:
        """Upsert GitHub's words on pull requests."""
        ...

    def words(
        self, upstream: str, numbers: Sequence[int] | None = None
    ) -> dict[int, PullRequestWords]:
        """GitHub's words by number."""
        ...

    def cursor(self, name: str) -> str | None:
        """A stored cursor (issue page, ETag) by name."""
        ...

    def save_cursor(self, name: str, value: str | None) -> None:
        """Store or remove a cursor."""
        ...

    def document(self, kind: str, key: str) -> Json:
        """A small JSON document (findings of a pin, a digest, a reader's last visit), or None."""
        ...

    def save_document(self, kind: str, key: str, value: Json) -> None:
        """Store or remove a small JSON document."""
        ...

    def add_delivery(self, delivery: Delivery) -> bool:
        """Put a message into the outbox; False, and nothing done, when its key is there already."""
        ...

    def claim_delivery(self, now: datetime, lease: timedelta) -> Delivery | None:
        """Take the oldest delivery that is due, for one worker alone, or None.

        It comes back as ``sending`` with one attempt more. A worker that does not finish it within
        ``lease`` is taken for dead: the delivery may then be claimed again.
        """
        ...

    def finish_delivery(self, delivery: Delivery) -> bool:
        """Record the outcome of a claimed delivery: its state, error and ``next_try_at``.

        False, and nothing recorded, when another worker has claimed it since.
        """
        ...

    def deliveries(self, channel: str | None = None, limit: int = 100) -> list[Delivery]:
        """The outbox, newest first."""
        ...

    def save_decision(self, decision: Decision) -> None:
        """Add a decision; earlier ones stay as history."""
        ...

    def decisions(self, pin: str | None = None) -> list[Decision]:
        """All decisions in the order in which they were made."""
        ...

    def save_findings(
        self, pin: str, fingerprint: str, items: Iterable[tuple[str, Json]], at: datetime
    ) -> None:
        """Replace the findings of a pin: (item name, JSON of the item) in order.

        ``fingerprint`` names what they were computed from. ``at`` becomes the first sighting of
        items that were never there before.
        """
        ...

    def findings(self, pin: str) -> tuple[str, list[Json]] | None:
        """(fingerprint, items in the order saved) of a pin, or None when never saved."""
        ...

    def sightings(self, pin: str) -> dict[str, Sighting]:
        """Every item ever found for a pin, by name."""
        ...

    def mark_seen(self, pin: str, items: Iterable[str]) -> None:
        """Note that these items were told to somebody."""
        ...


# --- GitHub ---


class GitHubCost(Struct, frozen=True, kw_only=True):
    """What one session with GitHub has cost so far, and what is left of the hour's allowance."""

    requests: int = 0
    points: int = 0
    """GraphQL points as GitHub charged them."""
    remaining: int | None = None
    """Points (requests without a token) left; None when GitHub did not say."""
    resets_at: datetime | None = None
    waited_seconds: float = 0.0

    def __str__(self) -> str:
        told = f"{self.requests} request{'' if self.requests == 1 else 's'}"
        if self.points:
            told += f", {self.points} point{'' if self.points == 1 else 's'}"
        if self.remaining is not None:
            told += f"; {self.remaining} left"
            told += f" until {self.resets_at:%H:%M} UTC" if self.resets_at else ""
        return told


class IssueWalk(Struct, frozen=True, kw_only=True):
    """How far the issues of an upstream have been read. Stored after every page, so a walk resumes.

    A first walk reads open issues oldest activity first and, riding along, closed ones newest
    first; once it is done, later walks read every issue that was active since ``reached``.
    """

    since: datetime
    """Oldest activity wanted."""
    reached: datetime
    """Activity time up to which the ascending reading is complete."""
    after: str | None = None
    """Page cursor inside a run of issues with one and the same activity time."""
    is_first: bool = True
    open_done: bool = False
    closed_after: str | None = None
    closed_done: bool = False
    newest: datetime | None = None
    """Latest activity upstream when a first walk began: later walks start there."""
    labels: tuple[str, ...] = ()
    """Labels still to be read in a first walk, one after the other; empty reads all issues."""

    @property
    def is_done(self) -> bool:
        """True when there is nothing left to read now."""
        return self.open_done and self.closed_done and len(self.labels) <= 1

    def next_label(self) -> IssueWalk:
        """The walk through the issues of the next label, once those of the first are read."""
        return IssueWalk(
            since=self.since, reached=self.since, newest=self.newest, labels=self.labels[1:]
        )

    def later(self) -> IssueWalk:
        """The walk that reads what became active after this one, which is done."""
        start = (self.newest or self.since) if self.is_first else self.reached
        return IssueWalk(since=self.since, reached=start, is_first=False, closed_done=True)


class OpenWalk(Struct, frozen=True, kw_only=True):
    """How far issues have been read without a token, newest activity first, pass after pass."""

    floor: datetime
    """Oldest activity that this pass wants; everything older is stored or not wanted."""
    is_first: bool = True
    """A first pass reads open issues; later ones also those that were closed meanwhile."""
    top: datetime | None = None
    """Everything active from here down to ``low`` is stored."""
    low: datetime | None = None
    page: int = 0
    """Page that ended at ``low`` when it was read; 0 before the first."""
    is_done: bool = False
    etag: str | None = None
    """Of the pass's first page, for a conditional request."""

    def later(self) -> OpenWalk:
        """The next pass after this one, which is done."""
        floor = self.top or self.floor
        etag = self.etag if floor == self.floor and not self.is_first else None
        return OpenWalk(floor=floor, is_first=False, etag=etag)


class WordsBatch(Struct, frozen=True, kw_only=True):
    """One answer about pull requests and issues, as GitHub tells them (bodies not yet read)."""

    words: tuple[PullRequestWords, ...] = ()
    issues: tuple[Issue, ...] = ()
    """Issues asked for, or named as closed by a pull request of this batch."""
    absent: tuple[int, ...] = ()
    """Numbers that GitHub does not know (as what was asked for)."""
    unreadable: tuple[int, ...] = ()
    """Numbers that GitHub failed to answer even alone, or that took too many requests; worth
    another try another day.
    """
    upstream: str = ""
    """Present ``owner/name``: differs from the one asked for after a renaming."""


class IssuePage(Struct, frozen=True, kw_only=True):
    """One page of issues and the walk to store with it."""

    issues: tuple[Issue, ...]
    walk: IssueWalk
    upstream: str = ""
    """Present ``owner/name``."""
    pulls: tuple[IssueLink, ...] = ()
    """Pull requests that were active of late, with their present state."""


class OpenPage(Struct, frozen=True, kw_only=True):
    """One page of open issues read without a token and the walk to store with it."""

    issues: tuple[Issue, ...]
    walk: OpenWalk
    upstream: str = ""


class GitHub(Protocol):
    """What people wrote: pull requests' words and issues. Iterators stop where the caller stops.

    All raise RemoteError; what was yielded before stays good.
    """

    @property
    def has_token(self) -> bool:
        """Without a token only ``open_issues`` works."""
        ...

    def pull_requests(self, upstream: str, numbers: Sequence[int]) -> Iterator[WordsBatch]:
        """The words of pull requests by number, about 50 a request."""
        ...

    def named_issues(self, upstream: str, numbers: Sequence[int]) -> Iterator[WordsBatch]:
        """Issues by number, moved ones followed; numbers of pull requests come back as words."""
        ...

    def issues(self, upstream: str, walk: IssueWalk) -> Iterator[IssuePage]:
        """Issues by activity, from where ``walk`` stands to its end."""
        ...

    def open_issues(self, upstream: str, walk: OpenWalk) -> Iterator[OpenPage]:
        """Open issues without a token, newest activity first, within the anonymous allowance."""
        ...

    def cost(self) -> GitHubCost:
        """What this session has cost."""
        ...


# --- search ---


class IndexStatistics(Struct, frozen=True, kw_only=True):
    """What BM25F needs to know of the corpus."""

    count: int
    average_lengths: dict[str, float] = field(default_factory=dict)
    """Field -> average number of tokens."""


class PackedDocument(Struct, frozen=True, kw_only=True):
    """A document in the form in which an index holds it."""

    key: str
    position: int
    fields: bytes
    texts: tuple[str, ...]
    """What is searched, column by column."""
    lengths: dict[str, int]
    """Field -> number of tokens."""


class Adding(Protocol):
    """Documents on their way into an index."""

    def add(self, document: PackedDocument) -> None:
        """Add a document, or replace the one of its key."""
        ...

    def mark(self, marker: str) -> None:
        """Note what the index holds once all is in."""
        ...


class Index(Protocol):
    """The full-text index of one upstream: an SQLite FTS5 file beside the mirror, derived, rebuilt
    at will.
    """

    @property
    def pack(self) -> Callable[[Document], PackedDocument]:
        """Pure, and can be handed to another process."""
        ...

    def add(self, documents: Iterable[Document]) -> None:
        """Add or replace documents by key, in one transaction."""
        ...

    def adding(self, *, anew: bool) -> AbstractContextManager[Adding]:
        """Add many documents; all are in when the block ends well, none when it does not.

        Meanwhile searches find what was there before. ``anew`` removes that.
        """
        ...

    def clear(self) -> None:
        """Remove all."""
        ...

    def search(
        self,
        terms: Mapping[str, float],
        *,
        after: int,
        until: int,
        limit: int,
        issues: bool = False,
    ) -> list[tuple[str, float]]:
        """(key, score) of the best documents with ``after < position <= until``, best first."""
        ...

    def documents(self, keys: Sequence[str]) -> dict[str, Document]:
        """Documents by key."""
        ...

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Number of documents that hold each term in any field."""
        ...

    def statistics(self) -> IndexStatistics:
        """Counts and average lengths."""
        ...

    def mark(self, marker: str) -> None:
        """Note what the index holds (the walk's base and head): compared on the next sync."""
        ...

    def marker(self) -> str | None:
        """The last mark, None for a new or cleared index."""
        ...


class LineageFiles(Protocol):
    """The line-lineage states of one upstream, files beside the mirror."""

    def has(self, key: str) -> bool:
        """True when a state is saved under a key; whether it can be read is seen on loading."""
        ...

    def load(self, key: str) -> bytes | None:
        """The state saved under a key, or None."""
        ...

    def save(self, key: str, state: bytes) -> None:
        """Write beside and rename; other keys are removed later by ``keep_only``."""
        ...

    def keep_only(self, key: str) -> None:
        """Remove the states of other keys."""
        ...


# --- files ---


class Files(Protocol):
    """The user's files: configuration, launch scripts, sources, package metadata. Read only."""

    def read(self, path: Path, *, limit: int = 2_000_000) -> str | None:
        """Text of a file (UTF-8, undecodable bytes replaced), or None; never more than ``limit``
        bytes.
        """
        ...

    def find(self, root: Path, patterns: Sequence[str]) -> list[Path]:
        """Files under a root that match any glob pattern, sorted, hidden and vendored directories
        left out.
        """
        ...

    def names(self, directory: Path) -> list[str]:
        """Names in a directory, sorted; empty when it is none or cannot be read."""
        ...


# --- mail ---


class Leftover(Struct, frozen=True):
    """Receivers of a message that did not take it while others did."""

    message: str
    """The same message for them alone."""
    error: str
    is_permanent: bool
    """True when trying again cannot help."""


class Channel(Protocol):
    """Where a digest goes: e-mail, Slack, Feishu."""

    name: str

    def send(self, payload: str) -> tuple[Leftover, ...]:
        """Send one fixed message; returns who did not get it though others did.

        Raises DeliveryError when nobody got it (``is_permanent`` tells whether to retry).
        """
        ...


class MessageThread(Struct, frozen=True, kw_only=True):
    """Where a message stands among those of its channel."""

    key: str
    """Of its delivery."""
    made_at: datetime
    parent: str | None = None
    """Message-ID of the one before, for mail."""
    root: str | None = None
    """Message-ID of the first one."""


class RenderedMessage(Struct, frozen=True, kw_only=True):
    """A digest as its channel sends it."""

    message: str
    message_id: str | None = None


class Outlet(Struct, frozen=True, kw_only=True):
    """One receiver of the configuration: what makes its messages, and what sends them."""

    name: str
    """Stable: part of the keys of its deliveries."""
    label: str
    """For people: ``e-mail to rl@example.org``."""
    channel: Channel
    render: Callable[[Digest, MessageThread], RenderedMessage]
