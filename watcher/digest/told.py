"""What a channel was last told: the memory that the next digest is compared with.

Pure; kept by the caller as a JSON document.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from watcher.facts.item import Tier
from watcher.facts.presence import Presence


class ToldItem(Struct, frozen=True, kw_only=True):
    """An item as it stood."""

    title: str
    tier: Tier | None = None
    presence: Presence
    release: str | None = None
    is_backported: bool = False
    was_told: bool = False
    """True once a message spoke of it as something that may bite."""
    was_ignored: bool = False
    is_report: bool = False
    """True for a bug report, which no pin ever holds."""
    patch: str | None = None
    """Patch file by which the user carried it."""


class ToldPin(Struct, frozen=True, kw_only=True):
    """A pin as it stood."""

    ref: str
    sha: str | None
    is_stale: bool = False
    reason: str | None = None
    """Why it was not resolved."""


class Told(Struct, frozen=True, kw_only=True):
    """Everything that matters for the next comparison."""

    items: dict[str, ToldItem] = field(default_factory=dict)
    pins: dict[str, ToldPin] = field(default_factory=dict)
    given_up: tuple[str, ...] = ()
    """Keys of lost deliveries that were spoken of."""


def told_json(told: Told) -> dict[str, object]:
    """The memory as a JSON document; what is as usual is left out of each item."""
    items = {
        name: {key: value for key, value in row.items() if value not in {None, False}}
        for name, row in msgspec.to_builtins(told)["items"].items()
    }
    pins, given_up = told.pins, list(told.given_up)
    return {"items": items, "pins": msgspec.to_builtins(pins), "given_up": given_up}


def parse_told(document: object) -> Told | None:
    """The memory of a document, or None for one that cannot be read."""
    if not isinstance(document, dict):
        return None
    try:
        return msgspec.convert(document, Told)
    except msgspec.ValidationError:
        return None
