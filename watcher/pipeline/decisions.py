"""What people decided about items, and whether the ground of each decision still holds.

A decision of ``watcher.toml`` goes before one by command while its ground holds. Nothing is ever
erased: taking back is a decision too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from watcher.errors import UsageError
from watcher.facts.item import Item
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.items import item_name
from watcher.pipeline.pinned import Pinned
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.decision import Decision
from watcher.ports.store import Store
from watcher.report.escape import one_line
from watcher.settings import Settings
from watcher.settings.records import IgnoreEnd, IgnoreSetting

CONFIGURATION: Final = "watcher.toml"
"""Who decided, for an ``[[ignore]]`` of the configuration."""
_ANCHORS: Final = "ignored-at"
_REASON_LIMIT: Final = 500


class Stand(StrEnum):
    """What a decision makes of an item."""

    ACKNOWLEDGED = "acknowledged"
    IGNORED = "ignored"
    OPEN = "open"


class Ruling(Struct, frozen=True, kw_only=True):
    """The latest decision about an item, and whether it holds now."""

    item: str
    state: Stand
    reason: str = ""
    until: str | None = None
    """An ISO date, ``released``, ``pin-moves``; None for good."""
    by: str | None = None
    at: datetime | None = None
    """None for a decision of the configuration."""
    ended: str | None = None
    """Why it holds no longer; None while it stands."""

    @property
    def is_ignored(self) -> bool:
        """True while the item is put aside."""
        return self.state is Stand.IGNORED and self.ended is None

    @property
    def phrase(self) -> str:
        """One line: state, reason, end, who."""
        end = {None: "", "released": " until released", "pin-moves": " until the pin moves"}.get(
            self.until, f" until {self.until}"
        )
        who = f" (by {one_line(self.by, 60)})" if self.by else ""
        reason = f": {one_line(self.reason, 300)}" if self.reason else ""
        return f"{self.state.value}{end}{reason}{who}"


def rulings(
    store: Store, settings: Settings, pins: Sequence[Pinned], now: datetime
) -> dict[str, Ruling]:
    """The latest decision about every item that somebody decided on, by item name.

    ``pins`` as configured: under a moved pin a ground may end that holds in truth.
    """
    grounds = _Grounds(
        store=store,
        pins={one.name: one for one in pins},
        today=now.astimezone(ZoneInfo(settings.digest.timezone)).date(),
    )
    found = {one.item: grounds.judge(_of_decision(one), one.until) for one in store.decisions()}
    for setting in settings.ignore:
        item = grounds.canonical(setting.item)
        ruling = grounds.judge(_of_setting(setting, item), grounds.anchored(setting, item))
        if ruling.ended is None or item not in found:
            found[item] = ruling
    return {item: one for item, one in found.items() if one.state is not Stand.OPEN}


def history(store: Store) -> list[Ruling]:
    """Every decision by command or on the page, oldest first, whether or not it still holds."""
    return [_of_decision(one) for one in store.decisions()]


def standing_decisions(
    store: Store, settings: Settings, pins: Sequence[Pinned], now: datetime
) -> dict[str, Ruling]:
    """The decisions that hold now, by item name."""
    return {
        item: one for item, one in rulings(store, settings, pins, now).items() if one.ended is None
    }


def annotated(items: Iterable[Item], standing: Mapping[str, Ruling]) -> tuple[Item, ...]:
    """The items; those that somebody decided on say so in ``decision`` and ``decision_note``."""
    return tuple(
        one if one.id not in standing else _with_note(one, standing[one.id]) for one in items
    )


def _with_note(item: Item, ruling: Ruling) -> Item:
    added = (("decision", ruling.state.value), ("decision_note", ruling.phrase))
    return replace(item, extra=(*item.extra, *added))


def put_aside(
    store: Store, item: Item, pin: ResolvedPin | None, wish: Wish, now: datetime
) -> Decision:
    """Record that an item is ignored. Raises UsageError for a ground that is none or is past."""
    if not wish.reason.strip():
        raise UsageError("a reason is needed", where="ignore", mend="say why with --reason TEXT")
    until = wish.until
    if until == IgnoreEnd.RELEASED and item.first_release:
        what = f"{item.id} is in {item.first_release} already"
        raise UsageError(what, where="--until", mend="name a date, or pin-moves")
    if until == IgnoreEnd.PIN_MOVES:
        until = None if pin is None else f"{until}:{pin.sha}"
    return _save(store, item, Stand.IGNORED, replace(wish, until=until), now)


def acknowledge(store: Store, item: Item, wish: Wish, now: datetime) -> Decision:
    """Record that somebody knows of an item and deals with it."""
    return _save(store, item, Stand.ACKNOWLEDGED, wish, now)


def take_back(
    store: Store, item: str, present: Ruling | None, by: str | None, now: datetime
) -> None:
    """Record that a decision holds no longer. Raises UsageError where there is none to take."""
    if present is None:
        mend = "see `watcher ignore` for what is decided"
        raise UsageError("nobody decided anything", where=one_line(item, 80), mend=mend)
    if present.by == CONFIGURATION:
        mend = f"remove its [[ignore]] from {CONFIGURATION}"
        raise UsageError("is ignored by the configuration", where=item, mend=mend)
    pin = item.partition("#")[0].partition("@")[0]
    store.save_decision(Decision(pin=pin, item=item, state=Stand.OPEN, at=now, by=by))


class Wish(Struct, frozen=True, kw_only=True):
    """What somebody wants of an item."""

    reason: str = ""
    until: str | None = None
    by: str | None = None


def parse_until(text: str | None, today: date) -> str | None:
    """``released``, ``pin-moves`` or a later ISO date. Raises UsageError."""
    if not text or text in list(IgnoreEnd):
        return text or None
    mend = 'write a date such as "2027-01-01", "released" or "pin-moves"'
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r:.40} is no end", where="--until", mend=mend) from error
    if day <= today:
        raise UsageError(f"{text} is not in the future", where="--until", mend=mend)
    return day.isoformat()


def _save(store: Store, item: Item, state: Stand, wish: Wish, now: datetime) -> Decision:
    decision = Decision(
        pin=item.pin,
        item=item.id,
        state=state.value,
        at=now,
        reason=one_line(wish.reason, _REASON_LIMIT),
        until=wish.until,
        by=None if wish.by is None else one_line(wish.by, 100),
    )
    store.save_decision(decision)
    return decision


def _of_decision(decision: Decision) -> Ruling:
    known = decision.state in list(Stand)
    return Ruling(
        item=decision.item,
        state=Stand(decision.state) if known else Stand.OPEN,
        reason=decision.reason,
        until=None if decision.until is None else decision.until.partition(":")[0],
        by=decision.by,
        at=decision.at,
    )


def _of_setting(setting: IgnoreSetting, item: str) -> Ruling:
    until = None if setting.until is None else str(setting.until)
    return Ruling(
        item=item, state=Stand.IGNORED, reason=setting.reason, until=until, by=CONFIGURATION
    )


class _Grounds(Struct, frozen=True, kw_only=True):
    """Tells whether a ground still holds."""

    store: Store
    pins: Mapping[str, Pinned]
    today: date

    def judge(self, ruling: Ruling, until: str | None) -> Ruling:
        """The ruling, with the reason when its ground has ended."""
        return replace(ruling, ended=self._ended(ruling.item, until))

    def _ended(self, item: str, until: str | None) -> str | None:
        if until is None:
            return None
        end, _, anchor = until.partition(":")
        if end == IgnoreEnd.RELEASED:
            release = self._first_release(item)
            return None if release is None else f"{release} holds it"
        if end == IgnoreEnd.PIN_MOVES:
            pin = self._pin(item)
            return None if pin is None or pin.sha == anchor else f"the pin moved to {pin.ref}"
        return f"it was put aside until {end}" if end <= self.today.isoformat() else None

    def canonical(self, item: str) -> str:
        """The name under which lists show an item that the configuration names by any sha."""
        name, sign, sha = item.partition("@")
        one = self.pins.get(name)
        if not sign or one is None:
            return item
        full = one.followed.mirror.resolve(sha) if one.walk is not None else None
        which = ChangeFilter(shas=(full or sha,), off_line=None, parts=frozenset())
        known = self.store.changes(one.setting.upstream, which)
        return item_name(name, known[0].number, known[0].sha) if known else f"{name}@{sha[:9]}"

    def anchored(self, setting: IgnoreSetting, item: str) -> str | None:
        """When an ``[[ignore]]`` ends; the pin's place when it was first met is kept."""
        if setting.until != IgnoreEnd.PIN_MOVES:
            return None if setting.until is None else str(setting.until)
        pin = self._pin(item)
        kept = self.store.document(_ANCHORS, item)
        if isinstance(kept, dict) and kept.get("reason") == setting.reason:
            return f"{setting.until}:{kept.get('sha')}"
        if pin is not None:
            self.store.save_document(_ANCHORS, item, {"reason": setting.reason, "sha": pin.sha})
        return None if pin is None else f"{setting.until}:{pin.sha}"

    def _pin(self, item: str) -> ResolvedPin | None:
        one = self.pins.get(item.partition("#")[0].partition("@")[0])
        return one.pin if one is not None and isinstance(one.pin, ResolvedPin) else None

    def _first_release(self, item: str) -> str | None:
        name, sign, number = item.partition("#")
        one = self.pins.get(name if sign else item.partition("@")[0])
        if one is None:
            return None
        upstream = one.setting.upstream
        if sign:
            shas = self.store.find_changes(upstream, int(number)) if number.isdecimal() else []
        else:
            full = one.followed.mirror.resolve(item.partition("@")[2])
            shas = [] if full is None else [full]
        links = self.store.links(upstream, shas) if shas else {}
        return next((one.first_release for one in links.values() if one.first_release), None)
