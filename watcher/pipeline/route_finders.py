"""Route finders for some pins: each knows how its upstream is installed and what binds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.item import Item
from watcher.pipeline.bindings import read_bindings
from watcher.pipeline.patches import find_site
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.routes import TRIED_IN_LISTS, RouteFinder
from watcher.ports.files import Files
from watcher.ports.store import Store
from watcher.report.answer import Answer
from watcher.settings import Settings


class RouteFinders(Struct, frozen=True, kw_only=True):
    """Makes route finders for one project."""

    store: Store
    files: Files
    settings: Settings
    environment: Mapping[str, str]
    prefixes: tuple[Path, ...] = ()
    """Environments that are looked into after the active one."""

    def make(self, pins: Sequence[Pinned], names: Sequence[str] = ()) -> dict[str, RouteFinder]:
        """A finder for each pin (all, or those named) that is resolved, by pin name.

        ``pins`` are all pins of the project: they bind each other.
        """
        hardware = self.settings.usage.hardware
        finders = {}
        for standing in resolved(pins):
            one = standing[0]
            if names and one.name not in names:
                continue
            bound_by = None if hardware is None else hardware.value
            finders[one.name] = RouteFinder(
                standing,
                self.store,
                bindings=read_bindings(one, pins, self.store, bound_by),
                site=self._site(one),
            )
        return finders

    def answer(self, answer: Answer, pins: Sequence[Pinned]) -> Answer:
        """An answer whose items have their routes; picks are tried for the first few."""
        items = answer.items
        finders = self.make(pins, tuple({one.pin for one in items}))
        return replace(answer, items=with_all_routes(items, finders, tried=TRIED_IN_LISTS))

    def _site(self, one: Pinned) -> str | None:
        return find_site(
            self.files,
            one.setting,
            one.followed.profile.module,
            root=self.settings.root,
            environment=self.environment,
            prefixes=self.prefixes,
        )


def with_all_routes(
    items: Sequence[Item], finders: Mapping[str, RouteFinder], *, tried: int
) -> tuple[Item, ...]:
    """Items of several pins with their routes, in the order given; picks for the first few."""
    first = {one.id for one in items[:tried]}
    done: dict[str, Item] = {}
    for name, finder in finders.items():
        mine = [one for one in items if one.pin == name]
        early = [one for one in mine if one.id in first]
        late = [one for one in mine if one.id not in first]
        found = [*finder.with_routes(early, tried=len(early)), *finder.with_routes(late)]
        done.update({one.id: one for one in found})
    return tuple(done.get(one.id, one) for one in items)
