"""The records of the catalogue: what an advisory says, when it holds, what it is known by. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Confidence(StrEnum):
    """How sure the catalogue is that the cause is the one named."""

    CERTAIN = "certain"
    """The message has this one cause."""
    USUAL = "usual"
    """Nearly always this cause; the note names the others."""
    REPORTED = "reported"
    """Reported by users, unverified."""


class Severity(StrEnum):
    """What the hazard does, worst first."""

    SILENT = "silent"
    CRASH = "crash"
    HANG = "hang"
    SLOW = "slow"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal pieces that follow each other on one line, any case; written with ``*`` between them.

    Matching is a search for each piece in turn, so its time is linear in the line.
    """

    pieces: tuple[str, ...]

    @property
    def weight(self) -> int:
        """Literal characters, a Chinese one as three: a longer pattern says more."""
        return sum(1 if char.isascii() else 3 for piece in self.pieces for char in piece)

    def is_in(self, folded_line: str) -> bool:
        """True when the pieces follow each other in a line that is already case-folded."""
        at = 0
        for piece in self.pieces:
            found = folded_line.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return True


@dataclass(frozen=True, slots=True)
class Condition:
    """A predicate on a setting: ``data.max_prompt_length > rollout.max_model_len``."""

    key: str
    """Dotted key; matched as a suffix of the settings' keys."""
    operator: str
    """``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``set`` or ``unset``."""
    value: str
    """A literal, or ``{key}`` for the value of another setting."""

    def __str__(self) -> str:
        return f"{self.key} {self.operator} {self.value}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Advisory:
    """One entry of the catalogue."""

    slug: str
    title: str
    remedy: str
    """What to do, in one or two sentences."""
    source: str
    """Where this is known from."""
    confidence: Confidence
    severity: Severity
    patterns: tuple[Pattern, ...] = ()
    """Any of them recognises the symptom in a log or in words."""
    also: tuple[Pattern, ...] = ()
    """When given, one of these must be in the symptom too (on any line)."""
    unless: tuple[Pattern, ...] = ()
    """None of these may be in the symptom."""
    packages: tuple[tuple[str, str], ...] = ()
    """(distribution, version specifier): outside the range the advisory never shows."""
    when: tuple[Condition, ...] = ()
    """Settings that must hold; without a symptom every one must be known to hold."""
    is_last: bool = False
    """True when the message only reports another's death: told after every other advisory."""
    is_hazard: bool = False
    """True when it is told without a symptom, from versions and settings alone."""
    true_for: str = "any version"
    note: str = ""
    """A footnote: what upstream did about it, or which other cause gives the same message."""
    url: str | None = None

    @property
    def id(self) -> str:
        """``advisory:SLUG``."""
        return f"advisory:{self.slug}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisoryMatch:
    """An advisory that applies, with what it was recognised by."""

    advisory: Advisory
    strength: float
    """Literal characters of the best pattern, more for several; an order, nothing else."""
    quote: str = ""
    """The line that recognised it."""
    reasons: tuple[str, ...] = ()
    """Sentences: which pattern, which setting, which version."""
