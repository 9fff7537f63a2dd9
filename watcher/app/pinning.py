"""The pins, the user and what judges for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watcher.facts.pin import UnresolvedPin
    from watcher.pins.records import Outcome
    from watcher.pipeline.advise import Adviser
    from watcher.pipeline.assess import Assessor
    from watcher.pipeline.decided_item import ItemFinder
    from watcher.pipeline.decisions import Ruling
    from watcher.pipeline.pinned import Moves, Pinned, PinReading
    from watcher.pipeline.route_finders import RouteFinders
    from watcher.pipeline.search import SearchTools
    from watcher.pipeline.sync import SyncResult
    from watcher.pipeline.sync_all import FailedSync
    from watcher.pipeline.upstream_ways import Compose
    from watcher.pipeline.user import Asked, User
    from watcher.ports.progress import Progress
    from watcher.report.answer import PinStatus
    from watcher.settings import PinSetting
from watcher.app.parts import Parts, package_text


def _composer() -> Compose:
    from watcher.adapters.hydra_compose import compose

    return compose


class Pinning(Parts):
    """Use cases around pins: reading, syncing, resolving."""

    def readings(self) -> list[PinReading]:
        """Every pin with what its source says now."""
        from watcher.pipeline.pinned import PinReading

        return [PinReading(setting=pin, reading=self._reading(pin)) for pin in self.settings.pins]

    def _reading(self, pin: PinSetting) -> Outcome | None:
        if pin.source is None:
            return None  # a plain ref: no parser of any file is needed
        from watcher.pipeline.pin_sources import read_pin

        return read_pin(
            pin,
            self.settings,
            files=self.files,
            profile=self.profile(pin.upstream),
            environment=self.environment,
            prefixes=[Path(sys.prefix)],
        )

    def standing(self, pins: Sequence[Pinned] | None = None) -> dict[str, Ruling]:
        """What people decided about items and still holds, by item name. ``pins`` as configured."""
        from watcher.pipeline.decisions import standing_decisions

        if not self.settings.ignore and not self.store.decisions():
            return {}
        pins = self.pinned() if pins is None else pins
        return standing_decisions(self.store, self.settings, pins, self.clock.now())

    def rulings(self) -> dict[str, Ruling]:
        """The latest decision about each item, also those whose ground has ended."""
        from watcher.pipeline.decisions import rulings

        return rulings(self.store, self.settings, self.pinned(), self.clock.now())

    def _item_finder(self) -> ItemFinder:
        from watcher.pipeline.decided_item import ItemFinder

        return ItemFinder(store=self.store, pins=self.pinned(), advisories=self.advisories)

    def sync(self, progress: Progress) -> list[SyncResult | FailedSync]:
        """Bring every upstream up to date."""
        from watcher.pipeline.sync_all import sync_all

        readings = self.readings()
        groups = {
            upstream: (
                self.followed(upstream),
                [one for one in readings if one.setting.upstream == upstream],
            )
            for upstream in self.upstreams
        }
        return sync_all(
            groups,
            self.store,
            token=self.settings.secrets.github_token,
            open_github=self.github,
            now=self.clock.now(),
            progress=progress,
        )

    def pinned(self, moves: Moves | None = None, names: Sequence[str] = ()) -> list[Pinned]:
        """The pins (all, or those named) as far as they are known."""
        from watcher.pipeline.pinned import NO_MOVES, find_pinned

        return [
            find_pinned(
                one.setting,
                one.reading,
                self.followed(one.setting.upstream),
                self.store,
                moves or NO_MOVES,
            )
            for one in self.readings()
            if not names or one.setting.name in names
        ]

    def unresolved_pins(self) -> list[UnresolvedPin]:
        """The pins that stand for no commit, with their reasons."""
        from watcher.facts.pin import UnresolvedPin

        return [one.pin for one in self.pinned() if isinstance(one.pin, UnresolvedPin)]

    def statuses(self, pins: Sequence[Pinned]) -> list[PinStatus]:
        """Where each pin stands."""
        from watcher.pipeline.statuses import pin_status

        now = self.clock.now()
        after = self.settings.schedule.stale_after
        return [
            pin_status(one, self.store, self.carried, now=now, stale_after=after) for one in pins
        ]

    def user(self, pins: Sequence[Pinned], asked: Asked | None = None) -> User:
        """What the user runs, as seen from some pins."""
        from watcher.pipeline.upstream_ways import WaysReader
        from watcher.pipeline.user import NOTHING_ASKED, UserReader

        reader = UserReader(
            files=self.files,
            settings=self.settings,
            environment=self.environment,
            store=self.store,
            ways=WaysReader(self.store, _composer),
        )
        return reader.read(pins, asked or NOTHING_ASKED)

    def assessor(self, pins: Sequence[Pinned], asked: Asked | None = None) -> Assessor:
        """What judges the changes of some pins."""
        from watcher.pipeline.assess import Assessor

        return Assessor(
            store=self.store,
            carried=self.carried,
            user=self.user(pins, asked),
            weights=self.weights,
            now=self.clock.now(),
            memory=self.memory,
        )

    def adviser(self, pins: Sequence[Pinned], assessor: Assessor) -> Adviser:
        """What tells local causes and hazards to the user whom an assessor knows."""
        from watcher.pipeline.advise import Adviser

        user, catalogue = assessor.user, self.advisories
        return Adviser(catalogue=catalogue, user=user, pins=pins, store=self.store)

    @cached_property
    def routes(self) -> RouteFinders:
        """What finds the ways to a fix."""
        from watcher.pipeline.route_finders import RouteFinders

        return RouteFinders(
            store=self.store,
            files=self.files,
            settings=self.settings,
            environment=self.environment,
            prefixes=(Path(sys.prefix),),
        )

    @cached_property
    def search_tools(self) -> SearchTools:
        """What searches for symptoms need."""
        from watcher.pipeline.search import SearchTools
        from watcher.symptom.lexicon import parse_lexicon

        lexicon = parse_lexicon(package_text("symptom/lexicon.toml"))
        return SearchTools(store=self.store, lexicon=lexicon, weights=self.weights.rank)
