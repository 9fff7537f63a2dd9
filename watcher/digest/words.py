"""The sentences that every medium shares: headline, section titles, an entry's lines. Pure.

Upstream text is put on one plain line here; each medium escapes its own markup on top.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from watcher.digest.record import Digest, Entry, News, Notice, NoticeKind
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.answer import PinStatus
from watcher.report.escape import one_line
from watcher.report.words import PRESENCE_WORDS, ago, count, day, landed_phrase, short

TITLE_LIMIT: Final = 160
LINE_LIMIT: Final = 300
SUBJECT_LIMIT: Final = 120
_MEMBERS_SHOWN: Final = 6

SECTION_TITLES: Final[dict[News, str]] = {
    News.NEW: "New",
    News.BACK: "Back again",
    News.CHANGED: "Changed",
    News.RELEASED: "Now released",
    News.BACKPORTED: "Now on your pin's branch",
    News.WITHDRAWN: "Withdrawn upstream",
}
_ORDINARY: Final = {
    NoticeKind.RELEASE: "new release",
    NoticeKind.PIN_MOVED: "pin moved",
    NoticeKind.WORKAROUND: "workaround may go",
    NoticeKind.UNRESOLVED: "pin not resolved",
    NoticeKind.STALLED: "sync stalled",
    NoticeKind.RESUMED: "sync resumed",
    NoticeKind.GIVEN_UP: "message not delivered",
}


def headline(digest: Digest) -> str:
    """The whole digest in a few words: ``2 new (1 likely), 1 now released, sync stalled``."""
    if digest.is_quiet:
        return "all quiet"
    counts = Counter(one.news for one in digest.entries)
    parts = []
    for news, number in sorted(counts.items(), key=lambda one: list(News).index(one[0])):
        likely = sum(one.news is news and one.item.tier is Tier.LIKELY for one in digest.entries)
        told = f" ({likely} likely)" if likely and news in {News.NEW, News.BACK} else ""
        parts.append(f"{number} {SECTION_TITLES[news].lower()}{told}")
    if digest.more:
        parts.append(f"{digest.more} more")
    kinds = dict.fromkeys(notice.kind for notice in digest.notices)
    return ", ".join([*parts, *(_ORDINARY[kind] for kind in kinds)])


def subject(digest: Digest) -> str:
    """One line for a list of messages."""
    first = f": {title(digest.entries[0])}" if digest.entries else ""
    return one_line(f"[watcher] {headline(digest)}{first}", SUBJECT_LIMIT)


def title(entry: Entry) -> str:
    """Title of an entry, a stranger's text on one plain line."""
    return one_line(entry.item.title, TITLE_LIMIT)


def facts(entry: Entry) -> str:
    """Tier, kind, presence and landing in one line."""
    item = entry.item
    parts = [item.kind.value]
    if item.presence is not Presence.UNKNOWN and item.kind not in {Kind.ISSUE, Kind.ADVISORY}:
        parts.append(PRESENCE_WORDS[item.presence])
    landed = landed_phrase(item)
    return one_line(", ".join([*parts, landed] if landed else parts), LINE_LIMIT)


def details(entry: Entry) -> list[tuple[str, str]]:
    """(label, sentence) of what there is to say about an entry, each on one plain line."""
    lines = [
        ("Changed", "; ".join(entry.said)),
        ("Why", entry.why),
        ("At your pin", entry.item.presence_detail),
        ("Get it", entry.route),
        ("Same bug", _family(entry)),
    ]
    return [(label, one_line(text, LINE_LIMIT)) for label, text in lines if text.strip()]


def _family(entry: Entry) -> str:
    """How many mends of the same bug the pin has, or the other ones, the first few."""
    state = dict(entry.item.extra).get("family_state")
    if state:
        return state
    names = dict.fromkeys([*entry.members, *entry.item.family])
    names.pop(entry.item.id, None)
    shown = ", ".join(list(names)[:_MEMBERS_SHOWN])
    more = len(names) - _MEMBERS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def notice_line(notice: Notice) -> str:
    """A notice on one plain line."""
    return one_line(notice.text, 400)


def pin_line(pin: PinStatus, digest: Digest) -> str:
    """Where a pin stands, in one line."""
    if pin.reason is not None:
        return one_line(f"{pin.name} at {pin.ref}: not resolved", LINE_LIMIT)
    line = f"{pin.name} at {pin.ref} ({short(pin.sha)})"
    if pin.behind is not None:
        line += f": {count(pin.behind, 'change')} behind, {count(pin.fixes_behind or 0, 'fix')}"
    if pin.synced_at is not None:
        line += f"; known up to {day(pin.known_until)}, synced {ago(pin.synced_at, digest.made_at)}"
    return one_line(line, LINE_LIMIT)


def opening(digest: Digest) -> str:
    """The first sentence."""
    if digest.is_quiet:
        return "Nothing new: no further fix that your pins lack and that is likely to bite."
    if digest.is_first:
        return "The first digest: what your pins lack now. From here on only news."
    return "What is new or changed since the last digest."


def more_line(digest: Digest) -> str:
    """How much is not shown; empty when everything is."""
    return f"{digest.more:,} more on the list." if digest.more else ""
