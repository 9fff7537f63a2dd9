"""Whether a pin has the code that a change repairs. Pure records."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Presence(StrEnum):
    """Is the code that a change repairs in the pin."""

    PRESENT = "present"
    PARTLY = "partly"
    ABSENT = "absent"
    CONTAINED = "contained"
    WITHDRAWN = "withdrawn"
    UNKNOWN = "unknown"


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
