"""What a digest says, and the situation that it is made from. Pure records; times are aware UTC."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct, field

from watcher.facts.item import Item, Tier
from watcher.report.answer import PinStatus


class News(StrEnum):
    """Why an item is told. The order is that of the digest's sections."""

    NEW = "new"
    BACK = "back"
    CHANGED = "changed"
    RELEASED = "released"
    BACKPORTED = "backported"
    WITHDRAWN = "withdrawn"


class NoticeKind(StrEnum):
    """What a line beside the items is about."""

    RELEASE = "release"
    PIN_MOVED = "pin-moved"
    WORKAROUND = "workaround"
    UNRESOLVED = "unresolved"
    STALLED = "stalled"
    RESUMED = "resumed"
    GIVEN_UP = "given-up"


class Entry(Struct, frozen=True):
    """One bug of the digest: an item, or the likeliest of its family."""

    item: Item
    news: News
    said: tuple[str, ...] = ()
    """What changed, sentences of ours; empty for what is simply new."""
    members: tuple[str, ...] = ()
    """The other items of its family that are news today."""
    link: str = ""
    """Address of its page."""

    @property
    def why(self) -> str:
        """The strongest reason that speaks for it, or empty."""
        speaking = [one for one in self.item.evidence if one.weight >= 0]
        return max(speaking, key=lambda one: one.weight).detail if speaking else ""

    @property
    def route(self) -> str:
        """The cheapest way to get the fix, or empty when none is known."""
        if not self.item.routes:
            return dict(self.item.extra).get("remedy", "")
        first = self.item.routes[0]
        return f"{first.detail} (needs a rebuild)" if first.rebuild else first.detail


class Notice(Struct, frozen=True):
    """One line beside the items."""

    kind: NoticeKind
    text: str


class Digest(Struct, frozen=True, kw_only=True):
    """One message's content, whatever the channel."""

    made_at: datetime
    day: date
    """The day that it is for, in the user's time zone."""
    entries: tuple[Entry, ...] = ()
    more: int = 0
    """Further entries that are only counted."""
    notices: tuple[Notice, ...] = ()
    pins: tuple[PinStatus, ...] = ()
    link: str = ""
    """Address of the list."""
    is_first: bool = False
    """True when this channel was never told anything."""

    @property
    def is_quiet(self) -> bool:
        """True when there is nothing new and that is all it says."""
        return not self.entries and not self.notices

    @property
    def sections(self) -> tuple[tuple[News, tuple[Entry, ...]], ...]:
        """The entries by their news, sections without entries left out."""
        grouped = ((news, tuple(one for one in self.entries if one.news is news)) for news in News)
        return tuple((news, entries) for news, entries in grouped if entries)


class Decided(Struct, frozen=True, kw_only=True):
    """What somebody decided about an item."""

    is_ignored: bool
    """True while it is put aside."""
    phrase: str
    """State and reason in one line."""
    ended: str | None = None
    """Why the decision holds no longer."""


class Scene(Struct, frozen=True, kw_only=True):
    """The situation now, the same for every channel."""

    now: datetime
    day: date
    items: tuple[Item, ...]
    """Everything found, likeliest first, watched items with their routes."""
    statuses: tuple[PinStatus, ...]
    decided: Mapping[str, Decided] = field(default_factory=dict)
    patched: Mapping[str, str] = field(default_factory=dict)
    """Item -> the patch file by which the user carries it."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    """Delivery key -> why it was given up."""
    tier: Tier = Tier.LIKELY
    """Lowest tier that is told."""
    limit: int = 20
    """Entries that are shown; the rest is counted."""
    address: str = ""
    """Base address of the pages, without a slash at its end."""
