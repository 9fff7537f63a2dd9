"""Situations that digests are made from, built with defaults and overrides."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from msgspec.structs import replace

from watcher.digest.record import Scene
from watcher.facts.item import Evidence, EvidenceKind, Item, Route, RouteKind, Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.answer import PinStatus

NOW = datetime(2026, 5, 4, 1, 30, tzinfo=UTC)
ADDRESS = "https://watcher.example.org"


def make_item(number: int = 17, **fields: Any) -> Item:
    """A likely fix that the pin lacks."""
    pin = fields.pop("pin", "verl")
    usual = Item(
        id=f"{pin}#{number}",
        pin=pin,
        kind=Kind.FIX,
        number=number,
        sha=f"{number:040x}",
        title=f"fix: the bug of {number}",
        url=f"https://github.com/acme/verl/pull/{number}",
        merged_at=datetime(2026, 5, 1, tzinfo=UTC),
        presence=Presence.PRESENT,
        presence_detail="the code that it changes is at your pin",
        tier=Tier.LIKELY,
        score=0.9,
        evidence=(
            Evidence(kind=EvidenceKind.FACET, weight=-0.5, detail="speaks against"),
            Evidence(kind=EvidenceKind.PATH, weight=2.5, detail="touches a file you rely on"),
        ),
        routes=(Route(kind=RouteKind.CHERRY_PICK, detail="picks cleanly onto your pin"),),
    )
    return replace(usual, **fields)


def make_status(**fields: Any) -> PinStatus:
    """A pin that is resolved and synced."""
    usual = PinStatus(
        name="verl",
        upstream="acme/verl",
        ref="v1.0",
        sha="a" * 40,
        committed_at=NOW,
        behind=30,
        fixes_behind=9,
        synced_at=NOW,
        known_until=NOW,
        stale=False,
    )
    return replace(usual, **fields)


def make_scene(*items: Item, **fields: Any) -> Scene:
    """A situation with some items and one good pin."""
    usual = Scene(
        now=NOW,
        day=date(2026, 5, 4),
        items=items,
        statuses=(make_status(),),
        address=ADDRESS,
    )
    return replace(usual, **fields)
