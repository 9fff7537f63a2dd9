"""One line of an answer with its reasons and ways to a fix. Pure records."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from watcher.facts.kind import Kind, State
from watcher.facts.presence import Presence


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


class RouteKind(StrEnum):
    """A way to get a fix."""

    RELEASE = "release"
    BACKPORT = "backport"
    CHERRY_PICK = "cherry-pick"
    UPGRADE = "upgrade"


class Evidence(Struct, frozen=True, kw_only=True):
    """One reason, with its share of the score."""

    kind: EvidenceKind
    weight: float
    detail: str
    """A sentence a person can check."""


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
