"""A board as large as the pages have to bear: made from counters, the same every time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from watcher.facts.item import Evidence, EvidenceKind, Item, Tier
from watcher.facts.kind import Kind, State
from watcher.facts.presence import Presence
from watcher.pipeline.board import Board, Row, search_text
from watcher.pipeline.finding import Finding
from watcher.report.answer import PinStatus

START = datetime(2026, 1, 1, tzinfo=UTC)
_AREAS = ("fsdp", "megatron", "rollout", "vllm", "ckpt", "data", "trainer", "npu", "reward", "tool")
_TROUBLES = (
    "deadlock",
    "wrong weights",
    "memory leak",
    "crash on resume",
    "garbled output",
    "slow",
)


def large_board(count: int = 10_000, pins: int = 8) -> Board:
    """``count`` items spread over ``pins``."""
    names = [f"pin{number}" for number in range(pins)]
    rows = [_row(number, names[number % pins]) for number in range(count)]
    rows.sort(key=lambda row: (row.item.tier.rank if row.item.tier else 3, -(row.item.score or 0)))
    statuses = tuple(
        PinStatus(
            name=name,
            upstream=f"acme/{name}",
            ref="v1.0",
            sha="a" * 40,
            committed_at=START,
            head="b" * 40,
            behind=count // pins,
            fixes_behind=count // pins // 2,
            synced_at=START + timedelta(days=200),
            known_until=START + timedelta(days=200),
            stale=False,
        )
        for name in names
    )
    return Board(
        made_at=datetime.now(UTC) + timedelta(days=1),
        statuses=statuses,
        rows=tuple(rows),
        remotes={name: f"https://github.com/acme/{name}.git" for name in names},
        made_from={},
        fingerprint="0" * 32,
    )


def _row(number: int, pin: str) -> Row:
    area, trouble = _AREAS[number % 10], _TROUBLES[number % 6]
    item = Item(
        id=f"{pin}#{number}",
        pin=pin,
        kind=(Kind.FIX, Kind.FEATURE, Kind.FIX, Kind.REFACTOR)[number % 4],
        number=number,
        sha=f"{number:040x}",
        title=f"[{area}] fix: {trouble} when path {number} is taken with uneven shards",
        url=f"https://github.com/acme/{pin}/pull/{number}",
        merged_at=START + timedelta(minutes=29 * (number % 10_000)),
        state=State.MERGED,
        presence=(Presence.PRESENT, Presence.ABSENT, Presence.PARTLY)[number % 3],
        presence_detail="the code that it changes is at your pin",
        tier=(Tier.LIKELY, Tier.POSSIBLE, Tier.POSSIBLE, Tier.UNLIKELY, Tier.UNLIKELY)[number % 5],
        score=(number * 7919 % 1000) / 1000,
        constant=-2.0,
        evidence=tuple(
            Evidence(
                kind=EvidenceKind.CONFIG,
                weight=1.5 - place * 0.4,
                detail=f"speaks of your setting {area}.option_{place}={number % 7} (run.sh)",
            )
            for place in range(6)
        ),
        first_release="v1.1" if number % 2 else None,
        facets=(area, "cuda"),
        files=tuple(f"{area}/module_{number % 90}/part_{place}.py" for place in range(5)),
    )
    collapsed = "absent" if item.presence is Presence.ABSENT else None
    return Row(Finding(item=item, collapsed=collapsed), search_text(item), item.merged_at)
