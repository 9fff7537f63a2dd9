"""The situation now and what a channel was last told -> its digest, and the next memory. Pure.

Only differences are news: an item that was told is spoken of again when its tier or presence
changed, when it was released, backported or withdrawn, or when it comes back after being put aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

from watcher.digest.notices import find_notices, fold_releases
from watcher.digest.record import Digest, Entry, News, Scene
from watcher.digest.told import Told, ToldItem, ToldPin
from watcher.facts.item import Item, RouteKind, Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.answer import PinStatus
from watcher.report.words import PRESENCE_WORDS

WATCHED_KINDS: Final = frozenset({Kind.FIX, Kind.REVERT, Kind.ISSUE, Kind.ADVISORY})
STANDING: Final = frozenset({Presence.PRESENT, Presence.PARTLY, Presence.UNKNOWN})
"""Presences with which an item may bite."""


def compose(scene: Scene, told: Told | None) -> Digest | None:
    """The digest for a channel that was told ``told`` last; None when nothing is new."""
    memory = told or Told()
    news = [entry for item in scene.items if (entry := _news_of(item, scene, memory)) is not None]
    entries, releases = fold_releases(_one_a_family(news))
    notices = (*releases, *find_notices(scene, memory))
    if not entries and not notices:
        return None
    order = list(News)
    entries.sort(key=lambda entry: order.index(entry.news))  # stable: likeliest first within
    return Digest(
        made_at=scene.now,
        day=scene.day,
        entries=tuple(entries[: scene.limit]),
        more=max(0, len(entries) - scene.limit),
        notices=notices,
        pins=scene.statuses,
        link=f"{scene.address}/list",
        is_first=told is None,
    )


def compose_quiet(scene: Scene) -> Digest:
    """The digest that says that there is nothing new."""
    return Digest(
        made_at=scene.now, day=scene.day, pins=scene.statuses, link=f"{scene.address}/list"
    )


def remember(scene: Scene, told: Told | None) -> Told:
    """What the channel knows once today's digest has arrived."""
    memory = told or Told()
    items = {item.id: _remembered(item, scene, memory) for item in scene.items}
    kept = {name: one for name, one in items.items() if _is_worth_keeping(one)}
    unknown = {pin.name for pin in scene.statuses if pin.sha is None}
    hidden = {  # an unresolved pin hides its items: they are not gone
        name: one
        for name, one in memory.items.items()
        if name not in items and pin_of(name) in unknown
    }
    return Told(
        items=kept | hidden,
        pins={pin.name: _remembered_pin(pin, memory) for pin in scene.statuses},
        given_up=tuple(sorted(scene.given_up)),
    )


def pin_of(item: str) -> str:
    """Pin name of an item name; empty for an advisory."""
    return item.partition("#")[0].partition("@")[0] if not item.startswith("advisory:") else ""


def is_ignored(item: str, scene: Scene) -> bool:
    """True while somebody has put the item aside."""
    return item in scene.decided and scene.decided[item].is_ignored


def may_bite(item: Item, tier: Tier) -> bool:
    """True for what a digest of this tier tells."""
    is_likely = item.tier is not None and item.tier.rank <= tier.rank
    return item.kind in WATCHED_KINDS and item.presence in STANDING and is_likely


def is_backported(item: Item) -> bool:
    """True when the fix is on the pin's own release branch, after the pin."""
    return any(route.kind is RouteKind.BACKPORT for route in item.routes)


def _news_of(item: Item, scene: Scene, memory: Told) -> Entry | None:
    if is_ignored(item.id, scene):
        return None
    before = memory.items.get(item.id)
    link = f"{scene.address}/item/{quote(item.id, safe='')}"
    if may_bite(item, scene.tier):
        news, said = _standing_news(item, before, scene)
        return None if news is None else Entry(item, news, said, link=link)
    if before is None or not before.was_told:
        return None
    if item.presence is Presence.WITHDRAWN and before.presence is not Presence.WITHDRAWN:
        return Entry(item, News.WITHDRAWN, _withdrawn(item), link=link)
    if item.presence is Presence.CONTAINED:
        return None  # told with the pin that moved, or done by the user's own patch
    said = _changes(item, before)
    return Entry(item, News.CHANGED, said, link=link) if said else None


def _standing_news(
    item: Item, before: ToldItem | None, scene: Scene
) -> tuple[News | None, tuple[str, ...]]:
    """Why an item that may bite is told now, and what changed; None when it is known."""
    if before is not None and before.was_ignored:
        decided = scene.decided.get(item.id)
        ground = f": {decided.ended}" if decided is not None and decided.ended else ""
        return News.BACK, (f"was ignored{ground}", *_changes(item, before))
    if before is None:
        return News.NEW, ()
    said = _changes(item, before)
    if not before.was_told:
        return News.NEW, said
    released = () if before.release or not item.first_release else (f"in {item.first_release}",)
    is_picked = is_backported(item) and not before.is_backported
    backported = ("brought to your pin's release branch",) if is_picked else ()
    for news, own in (
        (News.CHANGED, said),
        (News.RELEASED, released),
        (News.BACKPORTED, backported),
    ):
        if own:
            return news, tuple(dict.fromkeys((*said, *released, *backported)))
    return None, ()


def _changes(item: Item, before: ToldItem) -> tuple[str, ...]:
    said = []
    if item.tier is not before.tier and item.tier is not None and before.tier is not None:
        said.append(f"was {before.tier.value}, now {item.tier.value}")
    if item.presence is not before.presence:
        was, now = PRESENCE_WORDS[before.presence], PRESENCE_WORDS[item.presence]
        said.append(f"now: {now}; before: {was}")
    return tuple(said)


def _withdrawn(item: Item) -> tuple[str, ...]:
    return (f"taken back by {item.withdrawn_by}",) if item.withdrawn_by else ("taken back",)


def _one_a_family(entries: Sequence[Entry]) -> list[Entry]:
    """Entries in order, those of one family told with the likeliest of them."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        family = entry.item.family
        key = tuple(sorted(family)) if len(family) > 1 else (entry.item.id,)
        groups.setdefault(key, []).append(entry)
    return [_joined(group) for group in groups.values()]


def _joined(group: Sequence[Entry]) -> Entry:
    first, others = group[0], group[1:]
    return Entry(
        first.item,
        first.news,
        (*first.said, *_sayings(others)),
        tuple(one.item.id for one in others),
        first.link,
    )


def _sayings(entries: Iterable[Entry]) -> list[str]:
    return [f"{one.item.id} {sentence}" for one in entries for sentence in one.said]


def _remembered(item: Item, scene: Scene, memory: Told) -> ToldItem:
    before = memory.items.get(item.id)
    is_aside = is_ignored(item.id, scene)
    is_told = may_bite(item, scene.tier) and not is_aside
    return ToldItem(
        title=item.title[:200],
        tier=item.tier,
        presence=item.presence,
        release=item.first_release,
        is_backported=is_backported(item),
        was_told=is_told or (before is not None and before.was_told),
        was_ignored=is_aside and may_bite(item, scene.tier),
        is_report=item.kind is Kind.ISSUE,
        patch=scene.patched.get(item.id),
    )


def _is_worth_keeping(one: ToldItem) -> bool:
    return (
        one.was_told
        or one.was_ignored
        or one.patch is not None
        or (one.presence in STANDING and one.tier is not None and one.tier is not Tier.UNLIKELY)
    )


def _remembered_pin(pin: PinStatus, memory: Told) -> ToldPin:
    before = memory.pins.get(pin.name)
    known = before.sha if pin.sha is None and before is not None else pin.sha
    return ToldPin(ref=pin.ref, sha=known, is_stale=pin.stale, reason=pin.reason)
