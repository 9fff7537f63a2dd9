"""The use case ``digest``: the situation now, compared with what each channel was told, queued.

What a channel was told is the memory beside its latest message that arrived: so a message that is
lost on its way is news again the next day, and one that arrived never is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cached_property, partial
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watcher.digest.compose import compose, compose_quiet, remember
from watcher.digest.record import Digest, Scene
from watcher.digest.told import Told, parse_told, told_json
from watcher.pipeline.delivery import LAST, LONGEST_WAIT, REST, TOLD, Envelope, open_envelope
from watcher.ports.channel import MessageThread, Outlet
from watcher.ports.delivery import Delivery
from watcher.ports.json import Json
from watcher.ports.store import Store

_LOOKED_AT: Final = 30
"""Latest deliveries of a channel that are looked through for the last one that arrived."""
SILENT: Final = "digest-silent"
"""Kind of the documents that hold a channel's memory as of its latest day without news."""
_QUIET: Final = timedelta(days=7)
"""Silence after which ``all_quiet = "weekly"`` speaks."""


class Fate(StrEnum):
    """What became of a channel's digest of a day."""

    QUEUED = "queued"
    QUIET = "quiet"
    """There is nothing new."""
    KNOWN = "known"
    """The day's digest was made before."""
    WAITING = "waiting"
    """An earlier message is still on its way, or nothing was ever synced."""


class LazyScene:
    """The situation, looked at once and only when some channel needs it."""

    def __init__(self, look: Callable[[], Scene]) -> None:
        self._look = look

    def on(self, day: date) -> Scene:
        """The situation, for the digest of a day."""
        return replace(self._scene, day=day)

    @cached_property
    def _scene(self) -> Scene:
        return self._look()


class _Past(Struct, frozen=True, kw_only=True):
    """What a channel was sent before, newest first."""

    deliveries: tuple[Delivery, ...]
    last: Envelope | None
    """The latest message that arrived."""
    last_at: datetime | None
    told: Told | None = None
    """What the receiver knows, with what changed in silence since."""

    @property
    def base(self) -> str:
        """Name of the memory beside the latest message; empty when there is none."""
        return "" if self.last is None else self.last.told


class DigestDesk(Struct, frozen=True, kw_only=True):
    """Composes and queues the digests of all channels."""

    store: Store
    now: datetime
    is_weekly: bool = False
    """True when a week without news is worth a message."""

    def queue(
        self, outlets: Sequence[Outlet], day: date, look: LazyScene, *, is_asked: bool = False
    ) -> dict[str, Fate]:
        """Queue what each channel has to be told on a day; what became of it by channel.

        ``is_asked`` looks again on a day on which nothing was new before.
        """
        fates = {}
        for outlet in outlets:
            key = f"{outlet.name}:{day.isoformat()}"
            past = self._past(outlet.name)
            fates[outlet.name] = self._hindrance(past, key, is_asked=is_asked) or self._queue(
                outlet, key, partial(look.on, day), past
            )
        return fates

    def preview(self, channel: str | None, scene: Scene) -> Digest | None:
        """The digest that a channel would get now; without a channel, a first one."""
        return compose(scene, None if channel is None else self._past(channel).told)

    def _hindrance(self, past: _Past, key: str, *, is_asked: bool) -> Fate | None:
        if any(one.key == key for one in past.deliveries):
            return Fate.KNOWN
        if any(self._is_under_way(one) for one in past.deliveries):
            return Fate.WAITING
        noted = () if is_asked else self.store.deliveries(_quiet_channel(key), 3)
        return Fate.KNOWN if any(one.key == _quiet_channel(key) + key for one in noted) else None

    def _queue(self, outlet: Outlet, key: str, look: Callable[[], Scene], past: _Past) -> Fate:
        scene = look()
        if past.told is None and all(pin.synced_at is None for pin in scene.statuses):
            return Fate.WAITING
        digest = compose(scene, past.told)
        if digest is None and self._is_silent(past):
            digest = compose_quiet(scene)
        if digest is None:
            return self._note_quiet(outlet.name, key, past, remember(scene, past.told))
        digest = replace(digest, is_first=past.last is None)
        envelope = self._envelope(outlet, key, digest, past, remember(scene, past.told))
        is_new = self.store.add_delivery(
            self._delivery(outlet.name, key, envelope.encode(), "pending")
        )
        return Fate.QUEUED if is_new else Fate.KNOWN

    def _note_quiet(self, channel: str, key: str, past: _Past, told: Told) -> Fate:
        """Settle a day without news; what changed in silence belongs to the memory too."""
        document: Json = msgspec.json.decode(msgspec.json.encode(told_json(told)))
        self.store.save_document(SILENT, channel, {"after": past.base, "told": document})
        quiet = _quiet_channel(key)
        self.store.add_delivery(self._delivery(quiet, quiet + key, "", "quiet"))
        return Fate.QUIET

    def _envelope(
        self, outlet: Outlet, key: str, digest: Digest, past: _Past, told: Told
    ) -> Envelope:
        parent = None if past.last is None else past.last.message_id
        root = None if past.last is None else past.last.root or parent
        thread = MessageThread(key=key, made_at=self.now, parent=parent, root=root)
        rendered = outlet.render(digest, thread)
        return Envelope(
            message=rendered.message,
            told=self._save_memory(outlet.name, told, past),
            seen=_items_by_pin(digest),
            message_id=rendered.message_id,
            root=root or rendered.message_id,
        )

    def _delivery(self, channel: str, key: str, payload: str, state: str) -> Delivery:
        return Delivery(
            key=key,
            channel=channel,
            payload=payload,
            state=state,
            attempts=0,
            next_try_at=None,
            created_at=self.now,
        )

    def _past(self, channel: str) -> _Past:
        deliveries = self.store.deliveries(channel, _LOOKED_AT)
        sent = next((one for one in deliveries if one.state == "sent"), None)
        last = None if sent is None else open_envelope(sent.payload)
        last_at = None if sent is None else sent.created_at
        if last is None:
            kept = self.store.document(LAST, channel)
            last = open_envelope(kept) if isinstance(kept, str) else None
        past = _Past(deliveries=tuple(deliveries), last=last, last_at=last_at)
        return replace(past, told=self._memory(channel, past))

    def _memory(self, channel: str, past: _Past) -> Told | None:
        silent = self.store.document(SILENT, channel)
        if isinstance(silent, dict) and silent.get("after") == past.base:
            return parse_told(silent.get("told"))
        return parse_told(self.store.document(TOLD, past.base)) if past.base else None

    def _is_under_way(self, delivery: Delivery) -> bool:
        """True for one that will be tried soon; a clock that was set back strands no channel."""
        if delivery.state not in {"pending", "sending"} or REST in delivery.key:
            return False
        until = delivery.next_try_at or delivery.created_at
        return until <= self.now + 2 * LONGEST_WAIT

    def _save_memory(self, channel: str, told: Told, past: _Past) -> str:
        """Keep what the receiver will know, under a name made of it; forget what is outdated."""
        text = msgspec.json.encode(told_json(told), order="sorted")
        document: Json = msgspec.json.decode(text)
        name = f"{channel}:{hashlib.sha256(text).hexdigest()[:32]}"
        current = {name, None if past.last is None else past.last.told}
        for one in [one for one in past.deliveries if one.state == "sent"][1:3]:
            old = open_envelope(one.payload)
            if old is not None and old.told not in current:
                self.store.save_document(TOLD, old.told, None)
        self.store.save_document(TOLD, name, document)
        return name

    def _is_silent(self, past: _Past) -> bool:
        is_long_ago = past.last_at is None or self.now - past.last_at >= _QUIET
        return self.is_weekly and is_long_ago


def _quiet_channel(key: str) -> str:
    """Under which channel days without news are noted, apart from the messages."""
    return f"quiet {key.rpartition(':')[0]}:"


def _items_by_pin(digest: Digest) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in digest.entries:
        found.setdefault(entry.item.pin, []).extend([entry.item.id, *entry.members])
    return found
