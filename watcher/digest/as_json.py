"""A digest as JSON, its items by the contract of every answer. Pure."""

from __future__ import annotations

from watcher.digest.record import Digest, Entry
from watcher.digest.words import headline
from watcher.report.answer import SCHEMA, item_json, pin_json, timestamp


def digest_json(digest: Digest) -> dict[str, object]:
    """The whole digest."""
    return {
        "schema": SCHEMA,
        "command": "digest",
        "generated_at": timestamp(digest.made_at),
        "day": digest.day.isoformat(),
        "headline": headline(digest),
        "is_first": digest.is_first,
        "entries": [_entry(one, rank) for rank, one in enumerate(digest.entries, 1)],
        "more": digest.more,
        "notices": [{"kind": one.kind.value, "text": one.text} for one in digest.notices],
        "pins": [pin_json(pin) for pin in digest.pins],
    }


def _entry(entry: Entry, rank: int) -> dict[str, object]:
    return {
        "news": entry.news.value,
        "changes": list(entry.said),
        "why": entry.why,
        "members": list(entry.members),
        "link": entry.link,
        "item": item_json(entry.item, rank),
    }
