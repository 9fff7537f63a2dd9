"""One morning of a project: a store, a clock, a channel, a situation."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from msgspec.structs import replace

from tests.digest_scenes import NOW, make_item, make_scene
from watcher.digest.record import Digest, Scene
from watcher.errors import DeliveryError
from watcher.pipeline.digest import Fate, LazyScene
from watcher.pipeline.morning import Morning, MorningRound
from watcher.ports.channel import Leftover, MessageThread, Outlet, RenderedMessage
from watcher.settings.records import DigestSettings
from watcher.store.repository import SqlStore

DAY = timedelta(days=1)


@dataclass
class FakeChannel:
    """Keeps what was sent; says no as told."""

    name: str = "slack"
    sent: list[str] = field(default_factory=list)
    refusals: list[DeliveryError] = field(default_factory=list)
    leftovers: tuple[Leftover, ...] = ()

    def send(self, payload: str) -> tuple[Leftover, ...]:
        if self.refusals:
            raise self.refusals.pop(0)
        self.sent.append(payload)
        left, self.leftovers = self.leftovers, ()
        return left


@dataclass
class SetClock:
    """Shows what it is set to."""

    time: datetime = NOW

    def now(self) -> datetime:
        return self.time


@dataclass
class Post:
    """One project's morning: a store, a clock, a channel, a situation."""

    store: SqlStore
    clock: SetClock = field(default_factory=SetClock)
    channel: FakeChannel = field(default_factory=FakeChannel)
    settings: DigestSettings = field(
        default_factory=lambda: DigestSettings(at=time(9), timezone="Asia/Shanghai")
    )
    scene: Scene = field(default_factory=lambda: make_scene(make_item()))
    looks: int = 0

    def morning(self, *, is_asked: bool = False) -> Morning:
        outlet = Outlet(name=self.channel.name, label="", channel=self.channel, render=self.render)
        work = MorningRound(
            store=self.store, clock=self.clock, settings=self.settings, outlets=[outlet]
        )
        return work.run(LazyScene(self.look), is_asked=is_asked)

    def fate(self, *, is_asked: bool = False) -> Fate:
        return self.morning(is_asked=is_asked).fates[self.channel.name]

    def look(self) -> Scene:
        self.looks += 1
        return replace(self.scene, now=self.clock.time)

    def render(self, digest: Digest, thread: MessageThread) -> RenderedMessage:
        told = {"key": thread.key, "parent": thread.parent, "root": thread.root}
        told |= {"is_first": digest.is_first}
        names = [entry.item.id for entry in digest.entries]
        message = json.dumps(told | {"items": names, "notices": len(digest.notices)})
        return RenderedMessage(message=message, message_id=f"<{thread.key}>")

    @property
    def told(self) -> list[dict[str, object]]:
        return [json.loads(one) for one in self.channel.sent]

    def states(self) -> list[tuple[str, str]]:
        return [(one.key, one.state) for one in self.store.deliveries(self.channel.name)]


def refused(*, is_permanent: bool = False, wait: float | None = None) -> DeliveryError:
    return DeliveryError(
        "HTTP 500", where="slack", is_permanent=is_permanent, retry_after_seconds=wait
    )
