"""The application: all use cases, decisions and news included."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.settings import UsageSettings

if TYPE_CHECKING:
    from watcher.digest.record import Digest, Scene
    from watcher.matching.evaluate_usage import UsageCase
    from watcher.pipeline.assess import Assessor
    from watcher.pipeline.decisions import Ruling, Wish
    from watcher.pipeline.evaluate import Evaluator
    from watcher.pipeline.morning import Morning
    from watcher.pipeline.pinned import Pinned
    from watcher.ports.channel import Outlet
    from watcher.ports.decision import Decision
    from watcher.ports.progress import Progress
from watcher.app.answering import Answering
from watcher.app.parts import template_directory


class App(Answering):
    """The application. One an invocation, or one a service."""

    def past_rulings(self) -> Sequence[Ruling]:
        """Every decision ever made, oldest first."""
        from watcher.pipeline.decisions import history

        return history(self.store)

    def ignore(self, item: str, wish: Wish) -> Decision:
        """Put an item aside. Raises UsageError for an unknown item, no reason, or a past end."""
        from watcher.pipeline.decisions import put_aside

        found, pin = self._item_finder().find(item)
        return put_aside(self.store, found, pin, wish, self.clock.now())

    def acknowledge(self, item: str, wish: Wish) -> Decision:
        """Note that somebody deals with an item. Raises UsageError for an unknown one."""
        from watcher.pipeline.decisions import acknowledge

        found, _ = self._item_finder().find(item)
        return acknowledge(self.store, found, wish, self.clock.now())

    def unignore(self, item: str, by: str | None = None) -> None:
        """Take a decision back. Raises UsageError where there is none, or it is configured."""
        from watcher.pipeline.decisions import take_back

        rulings = self.rulings()
        name = item if item in rulings else self._item_finder().find(item)[0].id
        take_back(self.store, name, rulings.get(name), by, self.clock.now())

    @cached_property
    def outlets(self) -> Sequence[Outlet]:
        """Who gets the digest. Raises ConfigError when the installation lacks a template."""
        from watcher.adapters.outlets import make_outlets
        from watcher.adapters.templates import DigestTemplates

        return make_outlets(self.settings, DigestTemplates(template_directory("digest")))

    def scene(self) -> Scene:
        """The situation that a digest of today is made from."""
        from watcher.pipeline.scene import SceneSources, look

        pins, now = self.pinned(), self.clock.now()
        assessor = self.assessor(pins)
        sources = SceneSources(
            settings=self.settings,
            pins=pins,
            statuses=self.statuses(pins),
            assessor=assessor,
            others=self._hazards_and_reports(pins, assessor),
            rulings=self.rulings(),
            routes=self.routes,
        )
        return look(sources, now)

    def morning(self, *, is_asked: bool = False) -> Morning:
        """Queue what each channel is to be told, and send what is due; safe to repeat."""
        from watcher.pipeline.digest import LazyScene
        from watcher.pipeline.morning import MorningRound

        work = MorningRound(
            store=self.store,
            clock=self.clock,
            settings=self.settings.digest,
            outlets=self.outlets,
        )
        return work.run(LazyScene(self.scene), is_asked=is_asked)

    def preview_digest(self, channel: str | None) -> Digest | None:
        """The digest that a channel would get now (without a channel, a first one)."""
        from watcher.pipeline.digest import DigestDesk

        return DigestDesk(store=self.store, now=self.clock.now()).preview(channel, self.scene())

    def digest_html(self, digest: Digest) -> str:
        """A digest as its mail shows it."""
        from watcher.adapters.templates import DigestTemplates

        return DigestTemplates(template_directory("digest")).mail_html(digest)

    def evaluator(self, progress: Progress) -> Evaluator:
        """What measures on recorded cases."""
        from watcher.pipeline.case_pins import CasePins, pins_by_upstream
        from watcher.pipeline.evaluate import Evaluator

        pins = {
            pin.upstream: (pin, self.followed(pin.upstream)) for pin in reversed(self.settings.pins)
        }
        return Evaluator(
            store=self.store,
            tools=self.search_tools,
            pins=CasePins(self.store, pins_by_upstream(pins)),
            progress=progress,
        )

    def assessor_of_case(self, pinned: Pinned, case: UsageCase) -> Assessor:
        """What judges for the configuration of a case alone, whatever this project runs."""
        from watcher.pipeline.user import Asked

        bare = App(replace(self.settings, usage=UsageSettings()), self.environment)
        bare.__dict__["store"] = self.store
        return bare.assessor([pinned], Asked(overrides=case.config))
