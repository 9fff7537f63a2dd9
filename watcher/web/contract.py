"""The JSON contract ``watcher/1`` as models, for the description of the API.

Answers are written by ``report.answer`` and not passed through these models: they describe, tests
hold answers against them, and requests are validated by them.
"""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from watcher.facts.item import Tier
from watcher.facts.kind import Kind, State
from watcher.facts.presence import Presence
from watcher.pipeline.selection import Sort


class Model(BaseModel):
    """A model whose keys are all told."""

    model_config = ConfigDict(extra="forbid")


class PinModel(Model):
    """Where one pin stands."""

    name: str
    upstream: str
    ref: str
    sha: str | None
    reason: str | None = Field(description="Why it is not resolved, or null.")
    committed_at: str | None
    head: str | None
    behind: int | None
    fixes_behind: int | None
    synced_at: str | None
    known_until: str | None
    stale: bool
    branch: str | None
    fork_point: str | None
    carried: int
    carried_fixes: list[str]
    note: str | None
    renamed_to: str | None = Field(description="What the upstream is called now, or null.")


class EvidenceModel(Model):
    """One reason."""

    kind: str
    weight: float
    detail: str


class RouteModel(Model):
    """One way to get a fix."""

    kind: str
    rebuild: bool
    detail: str
    commands: list[str]
    conflicts: list[str]
    prerequisites: list[str]
    warnings: list[str]


class ItemModel(BaseModel):
    """One fix, issue or advisory. Further keys may come along."""

    model_config = ConfigDict(extra="allow")

    rank: int
    id: str
    pin: str
    kind: str
    number: int | None
    sha: str | None
    title: str
    url: str | None
    merged_at: str | None
    opened_at: str | None
    state: str | None
    mended_by: str | None
    presence: str
    presence_detail: str
    introduced_by: str | None
    withdrawn_by: str | None
    tier: str | None
    score: float | None = Field(description="An order, not a probability.")
    constant: float
    evidence: list[EvidenceModel]
    family: list[str]
    first_release: str | None
    routes: list[RouteModel]
    facets: list[str]
    files: list[str]


class FrameModel(Model):
    """One stack frame."""

    path: str
    function: str


class SymptomModel(Model):
    """What was understood of a symptom."""

    errors: list[str]
    frames: list[FrameModel]
    config: list[str]
    words: list[str]


class SearchedModel(Model):
    """How much was looked through."""

    changes: int
    issues: int


class AnswerModel(BaseModel):
    """The answer of every question. Further keys may come along."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    schema_: str = Field(alias="schema")
    command: str
    generated_at: str
    pins: list[PinModel]
    symptom: SymptomModel | None
    items: list[ItemModel]
    suspects: list[ItemModel]
    collapsed: dict[str, int]
    no_match: bool
    not_watched: list[str]
    searched: SearchedModel
    notes: list[str]


class TroubleModel(Model):
    """What went wrong, and how to mend it."""

    what: str
    mend: str | None


class FailureModel(BaseModel):
    """The answer to what cannot be answered."""

    schema_: str = Field(alias="schema")
    error: TroubleModel


class CheckRequest(Model):
    """A symptom. Nothing of it is stored."""

    words: str = Field("", max_length=20_000, description="In your words, English or Chinese.")
    log: str = Field("", max_length=5 * 1024 * 1024, description="A log or a traceback.")
    settings: list[str] = Field([], max_length=500, description="Settings in force, key=value.")
    at: list[str] = Field([], max_length=40, description="PIN=REF: answer for another pin.")
    as_of: list[str] = Field([], max_length=40, description="[PIN=]REF or a date.")
    last_good: str = Field("", max_length=200, description="[PIN=]REF where it worked.")
    limit: int | None = Field(None, ge=1, le=1_000)


class MovesRequest(Model):
    """Which pin and which head are meant, when not those of the configuration."""

    at: list[str] = Field([], max_length=40, description="PIN=REF: answer for another pin.")
    as_of: list[str] = Field([], max_length=40, description="[PIN=]REF or a date (UTC).")


class ListRequest(MovesRequest):
    """What a list is asked for; empty means no restriction."""

    pin: list[str] = Field([], max_length=40)
    tier: list[Tier] = Field([], max_length=10)
    presence: list[Presence] = Field([], max_length=10)
    kind: list[Kind] = Field([], max_length=20)
    state: list[State] = Field([], max_length=5)
    facet: list[str] = Field([], max_length=20, description="All of them.")
    file: str = Field("", max_length=200, description="Part of a path.")
    since: date | None = Field(None, description="Landed on this day or later.")
    until: date | None = None
    q: str = Field("", max_length=200, description="Words, all of them.")
    sort: Sort = Sort.LIKELY
    all: bool = Field(default=False, description="Lifts every filter that is not given.")
    ignored: bool = Field(default=False, description="With what was put aside.")
    limit: int | None = Field(None, ge=1, le=100_000)
    offset: int = Field(0, ge=0, le=1_000_000)

    def pairs(self) -> list[tuple[str, str]]:
        """The same as the query of a page's address."""
        many = ("pin", "tier", "presence", "kind", "state", "facet")
        pairs = [(name, str(value)) for name in many for value in getattr(self, name)]
        days = (("since", self.since), ("until", self.until))
        pairs += [(name, day.isoformat()) for name, day in days if day is not None]
        switches = (("all", self.all), ("ignored", self.ignored))
        pairs += [(name, "1") for name, is_on in switches if is_on]
        return [*pairs, ("file", self.file), ("q", self.q), ("sort", self.sort.value)]
