"""The vocabulary: frozen records that every part imports and that import nothing themselves.

Pure; no I/O. Times are timezone-aware UTC. ``sha`` is always the full 40-hex object name. A
``position`` counts first-parent commits of an upstream's tracked branch from the base of the
mirrored walk: 0 is the first commit after the base, ``BEFORE_RANGE`` (-1) stands for the base
itself and everything older.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

BEFORE_RANGE: Final = -1
"""Position of the walk's base commit and of everything older."""


class Kind(StrEnum):
    """What a change is for, or what an item is."""

    FIX = "fix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    PERF = "perf"
    REVERT = "revert"
    DOCS = "docs"
    CI = "ci"
    TEST = "test"
    CHORE = "chore"
    OTHER = "other"
    ISSUE = "issue"
    ADVISORY = "advisory"


class Role(StrEnum):
    """What a touched file is for in its upstream."""

    SOURCE = "source"
    TEST = "test"
    DOCS = "docs"
    CONFIG = "config"
    EXAMPLE = "example"
    CI = "ci"
    BUILD = "build"
    OTHER = "other"

    @property
    def is_shipped(self) -> bool:
        """True for files that a user runs or reads as configuration: source, config, example,
        build.
        """
        return self in {Role.SOURCE, Role.CONFIG, Role.EXAMPLE, Role.BUILD}


class FileStatus(StrEnum):
    """What happened to a path in a change."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


class Presence(StrEnum):
    """Is the code that a change repairs in the pin."""

    PRESENT = "present"
    PARTLY = "partly"
    ABSENT = "absent"
    CONTAINED = "contained"
    WITHDRAWN = "withdrawn"
    UNKNOWN = "unknown"


class Tier(StrEnum):
    """How likely an item is to bite this user. Order: likely > possible > unlikely."""

    LIKELY = "likely"
    POSSIBLE = "possible"
    UNLIKELY = "unlikely"

    @property
    def rank(self) -> int:
        """0 for likely, 1 for possible, 2 for unlikely."""
        return list(Tier).index(self)


class EvidenceKind(StrEnum):
    """Which sort of reason a rule gives."""

    FRAME = "frame"
    SYMBOL = "symbol"
    PATH = "path"
    IMPORT = "import"
    CONFIG = "config"
    KEYWORD = "keyword"
    TEXT = "text"
    FACET = "facet"
    ISSUE = "issue"
    BACKPORT = "backport"
    SEVERITY = "severity"
    SCOPE = "scope"


class State(StrEnum):
    """State of a pull request or issue as an item shows it."""

    MERGED = "merged"
    OPEN = "open"
    CLOSED = "closed"


class RouteKind(StrEnum):
    """A way to get a fix."""

    RELEASE = "release"
    BACKPORT = "backport"
    CHERRY_PICK = "cherry-pick"
    UPGRADE = "upgrade"


class MentionKind(StrEnum):
    """How a message speaks of another change."""

    INTRODUCED_BY = "introduced-by"
    FOLLOW_UP = "follow-up"
    AFTER = "after"
    REVERTS = "reverts"
    RELANDS = "relands"
    BACKPORT_OF = "backport-of"
    PLAIN = "plain"
    ABOUT = "about"
    """The bug that the change is about, short of closing it ("Issue: #7", "same fix as #8")."""


# --- changes ---


class TouchedFile(Struct, frozen=True, kw_only=True):
    """One path in the diff of a change."""

    path: str
    role: Role
    status: FileStatus = FileStatus.MODIFIED
    old_path: str | None = None
    """Previous path of a renamed file."""
    added: int = 0
    removed: int = 0
    functions: tuple[str, ...] = ()
    """Enclosing functions and classes of the hunks, qualified (``Class.method``), in order of
    appearance.
    """
    omitted: str | None = None
    """Why the diff of this file was not read (too large, missing on the remote, binary), or None.
    """


class Guard(Struct, frozen=True):
    """A comparison of a setting on a changed or guarding line, such as ``strategy == "fsdp2"``."""

    key: str
    operator: str
    """One of ``==``, ``!=``, ``in``, ``not in``, ``is``, ``is not``, ``<``, ``<=``, ``>``, ``>=``,
    ``truthy``, ``falsy``.
    """
    value: str
    """The literal as text without quotes; empty for truthy and falsy."""


class Mention(Struct, frozen=True):
    """A reference in a message to another change or issue of the same upstream."""

    kind: MentionKind
    number: int | None = None
    sha: str | None = None
    """Abbreviated or full object name as written."""
    title: str | None = None
    """Quoted title as written."""
    quote: str = ""
    """The words around it, at most 120 characters."""


class Message(Struct, frozen=True, kw_only=True):
    """What the commit message of a landed change says, parsed by the upstream's grammar."""

    sha: str
    committed_at: datetime
    subject: str
    """First line as it stands."""
    title: str
    """Subject without trailing numbers."""
    number: int | None
    body: str
    """Cleaned: template text, trailers and quoted boilerplate gone."""
    raw_body: str
    kind: Kind
    breaking: bool = False
    tags: tuple[str, ...] = ()
    """Title tags or modules, lower case, in order."""
    facets: tuple[str, ...] = ()
    """Facets named by title and tags (neither by body nor by files: bodies speak of what they were
    tried with).
    """
    closes: tuple[int, ...] = ()
    mentions: tuple[Mention, ...] = ()
    parents: tuple[str, ...] = ()


class DiffFacts(Struct, frozen=True, kw_only=True):
    """What the diff of a change says. Identifiers, strings, keys and guards come from shipped
    files only.
    """

    files: tuple[TouchedFile, ...] = ()
    identifiers: tuple[str, ...] = ()
    """Names on changed lines, as written, sorted, without duplicates."""
    strings: tuple[str, ...] = ()
    """String literals on changed lines, at most 200 characters each."""
    config_keys: tuple[str, ...] = ()
    """Dotted keys or option names read on changed or guarding lines."""
    guards: tuple[Guard, ...] = ()
    origins: OriginRecord | None = None
    """What line lineage recorded for the presence verdict; None off the first-parent line."""


class OriginRecord(Struct, frozen=True, kw_only=True):
    """Where the lines that a change removes, adds beside and brings back came from.

    Holds no pin: a pin is a look-up.

    Each weight map goes from a *lineage* (the tuple of steps of a line's life, encoded as in
    ``watcher.presence.lineage``) to a weight. ``watcher.presence`` alone reads the contents.
    """

    scope: str
    """``code``, ``tests``, ``new-files`` or ``other``: which part of the diff the record rests on.
    """
    payload: str
    """Compact JSON, opaque outside ``watcher.presence``."""


class Change(Struct, frozen=True, kw_only=True):
    """One landed change: a merged pull request or a lone commit, on the tracked branch or a
    release branch.
    """

    upstream: str
    """``owner/name``."""
    branch: str
    position: int | None
    """None off the first-parent line of the tracked branch."""
    message: Message
    diff: DiffFacts
    facets: tuple[str, ...] = ()
    """All facets: of the message, the paths, the guards and the labels."""
    labels: tuple[str, ...] = ()
    has_words: bool = False
    """True when the description and labels of its pull request are in."""

    @property
    def sha(self) -> str:
        """Object name of the landed commit."""
        return self.message.sha

    @property
    def number(self) -> int | None:
        """Pull request number, if any."""
        return self.message.number


class Links(Struct, frozen=True, kw_only=True):
    """What ties one change to others, computed over all changes of the upstream; shas unless said
    otherwise.
    """

    sha: str
    reverts: tuple[str, ...] = ()
    """Changes that this one takes back (resolved)."""
    withdrawn_by: str | None = None
    """The standing change that reverts this one: last event in git order decides."""
    relanded_as: str | None = None
    equivalents: tuple[str, ...] = ()
    """The same change on other branches: by trailer, number, title or stable patch-id."""
    equivalence: str | None = None
    """How the first equivalent was recognised, as a sentence fragment (``same stable patch-id``).
    """
    first_release: str | None = None
    """First tag, in the field's order, that holds this change or an equivalent."""
    follow_ups: tuple[str, ...] = ()
    """Later changes that say they complete this one."""
    family: tuple[str, ...] = ()
    """All members of its family in order of landing, itself included; empty when alone."""
    related: tuple[str, ...] = ()
    """Loosely related changes: listed, never counted."""
    named_origins: tuple[str, ...] = ()
    """Changes that the author says brought the fault."""
    named_origin_quote: str = ""


class Tag(Struct, frozen=True):
    """A release tag."""

    name: str
    sha: str
    """The commit, not the tag object."""
    committed_at: datetime


# --- issues ---


class Frame(Struct, frozen=True):
    """One stack frame of a traceback, as written."""

    path: str
    function: str = ""
    line: int | None = None


class IssueLink(Struct, frozen=True, kw_only=True):
    """A pull request of the same upstream that GitHub ties to an issue."""

    number: int
    state: State
    """As GitHub tells it; whether it landed is git's to say."""
    title: str = ""
    closes: bool = False
    """True when GitHub says that landing it closes the issue, False for a mere mention."""


class Issue(Struct, frozen=True, kw_only=True):
    """A bug report of an upstream."""

    upstream: str
    number: int
    title: str
    body: str
    """Cleaned: form headings and environment blocks gone."""
    raw_body: str = ""
    state: State = State.OPEN
    state_reason: str | None = None
    """GitHub's reason for closing: completed, not_planned, duplicate; or None."""
    opened_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    labels: tuple[str, ...] = ()
    reactions: int = 0
    comments: int = 0
    errors: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    config: tuple[str, ...] = ()
    """``key=value`` settings found in the body."""
    versions: tuple[tuple[str, str], ...] = ()
    """Package versions found in the body: (package, version)."""
    facets: tuple[str, ...] = ()
    linked_numbers: tuple[int, ...] = ()
    """Pull requests that GitHub links to it, open or landed."""
    duplicate_of: int | None = None
    closed_by_bot: bool = False
    links: tuple[IssueLink, ...] = ()
    """Pull requests that speak of it; ``linked_numbers`` are their numbers."""
    moved_to: str | None = None
    """``owner/name#number`` where the issue lives now, when it was moved."""
    closed_by: str = ""
    """Account that closed it last, or empty."""
    is_bug: bool = True
    """False for an issue that is kept only because a landed change names it."""


class PullRequestWords(Struct, frozen=True, kw_only=True):
    """What GitHub adds to a landed, open or abandoned pull request."""

    upstream: str
    number: int
    title: str
    body: str
    state: State
    merged_at: datetime | None = None
    updated_at: datetime | None = None
    labels: tuple[str, ...] = ()
    closes: tuple[int, ...] = ()
    unresolved_remarks: tuple[str, ...] = ()
    """First lines of review threads that were never resolved."""
    base: str = ""
    """Branch that it asks to be merged into, as GitHub tells it."""


# --- pins ---


class RefKind(StrEnum):
    """What sort of name a ref turned out to be."""

    SHA = "sha"
    TAG = "tag"
    BRANCH = "branch"


class RefMatch(Struct, frozen=True):
    """One commit that a ref may mean."""

    sha: str
    kind: RefKind


class ResolvedPin(Struct, frozen=True, kw_only=True):
    """A pin with the commit that it stands for."""

    name: str
    upstream: str
    ref: str
    sha: str
    committed_at: datetime
    position: int
    """Of its fork point on the tracked branch."""
    fork_point: str
    """Merge base of the pin and the head; the pin itself when it lies on the tracked branch."""
    branch: str | None = None
    """Release branch that holds the pin, or None."""
    carried: tuple[str, ...] = ()
    """Commits from the fork point to the pin, oldest first."""
    note: str | None = None
    """What the user should know: a fork's sha, a moving branch, local commits on top."""


class UnresolvedPin(Struct, frozen=True, kw_only=True):
    """A pin that stands for no commit we can name, and why."""

    name: str
    upstream: str
    ref: str
    reason: str
    mend: str
    """What the user can write instead."""


Pin = ResolvedPin | UnresolvedPin


# --- usage ---


class Source(Struct, frozen=True):
    """Where something in the user's files was read: a path relative to the configuration and a
    line.
    """

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Setting(Struct, frozen=True, kw_only=True):
    """One configuration value in force."""

    key: str
    """Dotted key (``actor_rollout_ref.actor.strategy``) or option name without dashes (``tensor-
    parallel-size``).
    """
    value: str
    source: Source
    is_default: bool = False
    """True when it comes from the upstream's own configuration at the pin, not from the user."""
    departs: bool = True
    """False when the value equals the upstream's default at the pin."""
    rarity: float | None = None
    """Share of the upstream's example scripts that set this key to another value or not at all,
    0..1; None unknown.
    """


class CodeUse(Struct, frozen=True, kw_only=True):
    """One way in which the user's Python reaches an upstream."""

    upstream_module: str
    """Dotted module, ``verl.utils.fsdp_utils``."""
    symbol: str = ""
    """Function, class or attribute; empty for a plain import."""
    kind: str = "import"
    """``import``, ``call``, ``attribute``, ``patch`` (monkey-patch), ``subclass`` or ``entry``
    (python -m).
    """
    source: Source


class FacetUse(Struct, frozen=True, kw_only=True):
    """A facet that the usage has or rules out, and the line that says so."""

    name: str
    is_on: bool
    source: Source
    detail: str
    """What was read, e.g. ``actor.strategy=fsdp2``."""
    group: str | None = None
    """Exclusive group in which it was decided; None for a free facet."""


class Usage(Struct, frozen=True, kw_only=True):
    """What the user runs, as far as it was understood."""

    settings: tuple[Setting, ...] = ()
    code: tuple[CodeUse, ...] = ()
    facets: tuple[FacetUse, ...] = ()
    keywords: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Upstream files the user relies on."""
    entry_points: tuple[str, ...] = ()
    """Dotted modules run with ``python -m`` or console scripts mapped to them."""
    environment: tuple[tuple[str, str], ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    """Installed or required package versions known: (name, version)."""
    gpus: int | None = None
    hardware: str | None = None
    nodes: int | None = None
    """Machines of one run, where the settings tell."""
    not_understood: tuple[tuple[Source, str], ...] = ()


# --- symptom ---


class Symptom(Struct, frozen=True, kw_only=True):
    """What went wrong, from words, logs and overrides."""

    text: str = ""
    """The user's words, English or Chinese, as typed."""
    errors: tuple[str, ...] = ()
    """Root error lines, last one the innermost root."""
    followers: tuple[str, ...] = ()
    """Errors that only report another's death (RayTaskError, EngineDeadError...)."""
    frames: tuple[Frame, ...] = ()
    """In order of appearance, outermost first within a traceback."""
    code: tuple[str, ...] = ()
    """Source lines quoted by tracebacks."""
    config: tuple[tuple[str, str], ...] = ()
    """(key, value) overrides and flags from the log, the words and ``--set``."""
    lines: tuple[str, ...] = ()
    """Other log lines kept, the last ones."""
    versions: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()
    """Packages that the frames and lines name (vllm, sglang, ray...)."""
    gpus: int | None = None

    @property
    def is_empty(self) -> bool:
        """True when nothing usable was given."""
        return not (
            self.text.strip()
            or self.errors
            or self.followers
            or self.frames
            or self.config
            or self.lines
        )


# --- findings ---


class Evidence(Struct, frozen=True, kw_only=True):
    """One reason, with its share of the score."""

    kind: EvidenceKind
    weight: float
    detail: str
    """A sentence a person can check."""


class Verdict(Struct, frozen=True, kw_only=True):
    """Presence of a change at one pin."""

    presence: Presence
    detail: str
    introduced_by: str | None = None
    """Sha of the change that probably, or by its author's word, brought the fault."""
    introduced_is_named: bool = False
    """True when an author names it; False when it is inferred from the lines (say "probably")."""
    withdrawn_by: str | None = None
    holder: str | None = None
    """For contained: the commit in the pin that carries it."""
    probability: float | None = None
    """The model's P(present); never shown as a number."""
    lines: tuple[str, ...] = ()
    """The lines that the verdict rests on, as ``path: text`` where known."""


class Route(Struct, frozen=True, kw_only=True):
    """One way to get a fix onto the pin."""

    kind: RouteKind
    detail: str
    rebuild: bool = False
    commands: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Paths that conflict; empty when clean or untried."""
    prerequisites: tuple[str, ...] = ()
    """Shas to pick first, oldest first."""
    warnings: tuple[str, ...] = ()


class Item(Struct, frozen=True, kw_only=True):
    """One line of an answer: a fix, issue or advisory for one pin. The JSON contract's item is
    rendered from it.
    """

    id: str
    pin: str
    kind: Kind
    number: int | None = None
    sha: str | None = None
    title: str
    url: str | None = None
    merged_at: datetime | None = None
    opened_at: datetime | None = None
    state: State | None = None
    mended_by: str | None = None
    presence: Presence = Presence.UNKNOWN
    presence_detail: str = ""
    introduced_by: str | None = None
    withdrawn_by: str | None = None
    tier: Tier | None = None
    score: float | None = None
    evidence: tuple[Evidence, ...] = ()
    family: tuple[str, ...] = ()
    first_release: str | None = None
    routes: tuple[Route, ...] = ()
    facets: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    constant: float = 0.0
    """The shown constant of the score: logistic(constant + sum of weights) = score."""
    extra: tuple[tuple[str, str], ...] = field(default=())
    """Further key/value facts for JSON (added keys only)."""


class Document(Struct, frozen=True, kw_only=True):
    """A change or issue as the search index and the text ranker see it: token counts per field.

    Fields: ``title``, ``body``, ``paths``, ``functions``, ``identifiers``, ``strings``.
    """

    key: str
    """``sha`` of a change, ``#number`` of an issue."""
    position: int
    """Position of the change; for issues and commits off the line, the position they are known
    from.
    """
    fields: dict[str, dict[str, int]]
