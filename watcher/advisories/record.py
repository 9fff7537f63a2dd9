"""The records of the catalogue: what an advisory says, when it holds, what it is known by. Pure."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


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


class Pattern(Struct, frozen=True):
    """Literal pieces that follow each other on one line, any case; written with ``*`` between them.

    Matching is a search for each piece in turn, so its time is linear in the line.
    """

    pieces: tuple[str, ...]

    @property
    def weight(self) -> int:
        """Literal characters: a longer pattern says more."""
        return sum(text_weight(piece) for piece in self.pieces)

    def is_in(self, folded_line: str) -> bool:
        """True when the pieces follow each other in a line that is already case-folded."""
        at = 0
        for piece in self.pieces:
            found = folded_line.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return True


class Words(Struct, frozen=True):
    """Groups of words, one of each in one sentence of the user's, in any order.

    Written ``port|端口 + listen|bind|占``: Latin words match at a word's beginning.
    """

    groups: tuple[tuple[str, ...], ...]

    def weight_in(self, sentence: str) -> int:
        """Literal characters found in a case-folded sentence; 0 when a group has no word there."""
        total = 0
        for group in self.groups:
            best = max(
                (text_weight(word) for word in group if _has_word(sentence, word)), default=0
            )
            if not best:
                return 0
            total += best
        return total


def text_weight(text: str) -> int:
    """Characters of a literal, a Chinese one as three: a longer one says more."""
    if text.isascii():
        return len(text)
    return sum(1 if char.isascii() else 3 for char in text)


def _has_word(sentence: str, word: str) -> bool:
    at = sentence.find(word)
    if not word[0].isascii() or not word[0].isalnum():
        return at >= 0
    while at >= 0:
        before = sentence[at - 1] if at else " "
        if not (before.isascii() and before.isalnum()):
            return True
        at = sentence.find(word, at + 1)
    return False


class Condition(Struct, frozen=True):
    """A predicate on a setting: ``data.max_prompt_length > rollout.max_model_len``."""

    key: str
    """Dotted key; matched as a suffix of the settings' keys."""
    operator: str
    """``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``set`` or ``unset``."""
    value: str
    """A literal, or ``{key}`` for the value of another setting."""

    def __str__(self) -> str:
        return f"{self.key} {self.operator} {self.value}".strip()


class Advisory(Struct, frozen=True, kw_only=True):
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
    words: tuple[Words, ...] = ()
    """Any of them recognises the symptom in the user's own words."""
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


class AdvisoryMatch(Struct, frozen=True, kw_only=True):
    """An advisory that applies, with what it was recognised by."""

    advisory: Advisory
    strength: float
    """Literal characters of the best pattern, more for several; an order, nothing else."""
    quote: str = ""
    """The line that recognised it."""
    reasons: tuple[str, ...] = ()
    """Sentences: which pattern, which setting, which version."""
