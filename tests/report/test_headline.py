"""The first sentence of an answer claims no more than its first item."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from watcher.facts.item import Item, Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.answer import Answer
from watcher.report.headline import headline


@pytest.mark.parametrize(
    ("tier", "start"),
    [
        (Tier.LIKELY, "Likely engine#7"),
        (Tier.POSSIBLE, "Possibly engine#7"),
        (Tier.UNLIKELY, "Nearest, though unlikely: engine#7"),
    ],
)
def test_the_first_sentence_says_the_tier_of_the_first_item(tier: Tier, start: str) -> None:
    item = Item(
        id="engine#7",
        pin="engine",
        kind=Kind.FIX,
        title="fix: step twice",
        presence=Presence.PRESENT,
        tier=tier,
    )
    answer = Answer(
        command="check", generated_at=datetime(2026, 1, 1, tzinfo=UTC), pins=(), items=(item,)
    )

    assert headline(answer).startswith(start)
