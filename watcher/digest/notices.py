"""What a digest says beside the items: pins that moved, stalled syncs, lost messages. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from watcher.digest.record import Entry, News, Notice, NoticeKind, Scene
from watcher.digest.told import Told, ToldPin
from watcher.facts.presence import Presence
from watcher.report.answer import PinStatus
from watcher.report.words import ago, count, day, short

_NAMED: Final = 8
"""Items that one line names before it counts the rest."""
_TOGETHER: Final = 4
"""Fixes in one release that are told in one line."""
_GIVEN_UP_NAMED: Final = 3


def find_notices(scene: Scene, told: Told) -> tuple[Notice, ...]:
    """The lines beside the items, only what was not said before."""
    return (*_pins(scene, told), *_given_up(scene, told))


def fold_releases(entries: list[Entry]) -> tuple[list[Entry], tuple[Notice, ...]]:
    """The entries without those that one release brought together, and a line for each release."""
    groups: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        if entry.news is News.RELEASED and len(entry.said) == 1:
            release = (entry.item.pin, entry.item.first_release or "")
            groups.setdefault(release, []).append(entry.item.id)
    many = {release: names for release, names in groups.items() if len(names) >= _TOGETHER}
    folded = {name for names in many.values() for name in names}
    lines = tuple(
        Notice(
            NoticeKind.RELEASE,
            f"{release} holds {count(len(names), 'fix')} that you were told of: {_named(names)};"
            f" see `watcher upgrade {pin}`",
        )
        for (pin, release), names in many.items()
    )
    return [entry for entry in entries if entry.item.id not in folded], lines


def _pins(scene: Scene, told: Told) -> Iterator[Notice]:
    for pin in scene.statuses:
        before = told.pins.get(pin.name)
        yield from _reasons(pin, before)
        yield from _staleness(pin, before, scene)
        if before is None or before.sha is None or pin.sha is None or before.sha == pin.sha:
            continue
        held = _held(pin.name, scene, told)
        yield Notice(NoticeKind.PIN_MOVED, _move(pin, before, held, told))
        yield from _workarounds(held, scene, told)


def _reasons(pin: PinStatus, before: ToldPin | None) -> Iterator[Notice]:
    was = None if before is None else before.reason
    if pin.reason is not None and pin.synced_at is not None and pin.reason != was:
        yield Notice(NoticeKind.UNRESOLVED, f"{pin.name} at {pin.ref}: {pin.reason}")


def _staleness(pin: PinStatus, before: ToldPin | None, scene: Scene) -> Iterator[Notice]:
    was_stale = before is not None and before.is_stale
    if pin.stale and not was_stale:
        when = "was never synced"
        if pin.synced_at is not None:
            known = day(pin.known_until)
            when = f"was last synced {ago(pin.synced_at, scene.now)}; known up to {known}"
        yield Notice(NoticeKind.STALLED, f"{pin.name} {when}: see `watcher doctor`")
    elif was_stale and not pin.stale:
        yield Notice(NoticeKind.RESUMED, f"{pin.name} is synced again")


def _held(pin: str, scene: Scene, told: Told) -> list[str]:
    """Items of the last message, or put aside or patched, that the moved pin holds by itself."""
    present = {item.id: item for item in scene.items if item.pin == pin}
    held = []
    for name, before in told.items.items():
        if before.is_report:
            continue
        item = present.get(name)
        is_past = item is None and name.startswith((f"{pin}#", f"{pin}@"))
        is_carried = item is not None and item.presence is Presence.CONTAINED
        if is_past or (is_carried and name not in scene.patched):
            held.append(name)
    return held


def _move(pin: PinStatus, before: ToldPin, held: list[str], told: Told) -> str:
    line = f"{pin.name} moved from {before.ref} ({short(before.sha)})"
    line += f" to {pin.ref} ({short(pin.sha)})"
    known = [name for name in held if told.items[name].was_told]
    if not known:
        return line
    return f"{line}; it now holds {count(len(known), 'fix')} that you were told of: {_named(known)}"


def _workarounds(held: list[str], scene: Scene, told: Told) -> Iterator[Notice]:
    for name in held:
        patch, decided = told.items[name].patch, scene.decided.get(name)
        if patch is not None:
            text = f"{patch} may go: the pin now holds {name}"
        elif decided is not None:
            text = f"the pin now holds {name}: a workaround may go ({decided.phrase})"
        else:
            continue
        yield Notice(NoticeKind.WORKAROUND, text)


def _given_up(scene: Scene, told: Told) -> Iterator[Notice]:
    lost = [key for key in scene.given_up if key not in told.given_up]
    for key in lost[:_GIVEN_UP_NAMED]:
        yield Notice(NoticeKind.GIVEN_UP, f"not delivered: {key}: {scene.given_up[key]}")
    if len(lost) > _GIVEN_UP_NAMED:
        rest = count(len(lost) - _GIVEN_UP_NAMED, "further message")
        yield Notice(NoticeKind.GIVEN_UP, f"not delivered: {rest}, see `watcher doctor`")


def _named(names: list[str]) -> str:
    told = ", ".join(names[:_NAMED])
    return told if len(names) <= _NAMED else f"{told} and {len(names) - _NAMED} more"
