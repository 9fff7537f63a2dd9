"""A judged change, issue or advisory of one pin: what the use cases list, count and keep."""

from __future__ import annotations

from msgspec import Struct

from watcher.facts.item import Item, Tier


class Finding(Struct, frozen=True, kw_only=True):
    """One judged item."""

    item: Item
    collapsed: str | None = None
    """Reason under which it is only counted, or None when it is shown."""
    by_usage: Tier | None = None
    """Tier by the usage alone, whatever the presence at the pin makes of it."""
