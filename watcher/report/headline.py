"""An answer to a symptom -> the one sentence that every face says first. Pure."""

from __future__ import annotations

from typing import Final

from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.answer import Answer
from watcher.report.escape import one_line
from watcher.report.words import PRESENCE_WORDS, landed_phrase

_LEAD: Final = {
    Tier.LIKELY: "Likely",
    Tier.POSSIBLE: "Possibly",
    Tier.UNLIKELY: "Nearest, though unlikely:",
    None: "Likely",
}
"""How the sentence begins: it never claims more than the tier that stands under it."""


def headline(answer: Answer) -> str:
    """One sentence that answers the question."""
    first = answer.items[0] if answer.items else None
    if first is None and answer.suspects:
        suspect = answer.suspects[0]
        return f"No mend is known. First suspect: {suspect.id} {one_line(suspect.title, 160)}"
    if first is None:
        return unanswerable(answer) or "Nothing found."
    name = f"{first.id} {one_line(first.title, 160)}"
    told = dict(first.extra)
    if first.kind is Kind.ADVISORY:
        remedy = told.get("remedy", "")
        return f"Look here first, not upstream: {one_line(first.title, 160)}. {remedy}"
    if first.presence is Presence.CONTAINED:
        return f"Best match is already in your pin (another cause, or it came back): {name}"
    if answer.no_match:
        return f"Nothing certain. Nearest: {name}"
    if first.kind is Kind.ISSUE:
        return f"Reported and not mended: {name}"
    return f"{_LEAD[first.tier]} {name} ({PRESENCE_WORDS[first.presence]}, {landed_phrase(first)})"


def unanswerable(answer: Answer) -> str | None:
    """Why nothing can be said at all: no pin stands for a commit that is known."""
    if not answer.pins or any(pin.sha is not None for pin in answer.pins):
        return None
    pin = answer.pins[0]
    return f"No answer. {pin.name}: {pin.reason}"
