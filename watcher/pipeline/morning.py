"""The morning's work: queue what each channel is to be told today, then send what is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from msgspec import Struct

from watcher.pipeline.delivery import Postman, due_day
from watcher.pipeline.digest import DigestDesk, Fate, LazyScene
from watcher.ports.channel import Outlet
from watcher.ports.clock import Clock
from watcher.ports.delivery import Delivery
from watcher.ports.store import Store
from watcher.settings.records import AllQuiet, DigestSettings


class Morning(Struct, frozen=True, kw_only=True):
    """What was queued and what was tried."""

    day: date
    fates: Mapping[str, Fate]
    """What became of each channel's digest."""
    tried: tuple[Delivery, ...]
    """Deliveries that were tried now, as recorded."""


class MorningRound(Struct, frozen=True, kw_only=True):
    """Does the morning's work; safe to repeat at any time, and in several processes at once."""

    store: Store
    clock: Clock
    settings: DigestSettings
    outlets: Sequence[Outlet]

    def run(self, look: LazyScene, *, is_asked: bool = False) -> Morning:
        """Send what is under way, queue today's digests, send them.

        The day is the latest one whose time of day has come; ``is_asked`` takes today whatever the
        time, for people and for cron.
        """
        tried = self.postman.deliver_due()
        now = self.clock.now()
        day = due_day(now, self.settings.at, self.settings.timezone)
        if is_asked:
            day = now.astimezone(ZoneInfo(self.settings.timezone)).date()
        weekly = self.settings.all_quiet is AllQuiet.WEEKLY
        desk = DigestDesk(store=self.store, now=now, is_weekly=weekly)
        fates = desk.queue(self.outlets, day, look, is_asked=is_asked)
        if Fate.QUEUED in fates.values():
            tried += self.postman.deliver_due()
        return Morning(day=day, fates=fates, tried=tuple(tried))

    @property
    def postman(self) -> Postman:
        """What sends."""
        channels = {outlet.name: outlet.channel for outlet in self.outlets}
        return Postman(store=self.store, channels=channels, clock=self.clock)
