"""How a missing fix can be had: facts from store and mirror -> routes on the item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.item import Item
from watcher.facts.links import Links
from watcher.facts.pin import ResolvedPin
from watcher.facts.presence import Presence
from watcher.pipeline.bindings import Bindings
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import item_name
from watcher.pipeline.picks import PickTrials
from watcher.pipeline.pinned import Pinned
from watcher.pipeline.targets import Target, read_targets
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.store import Store
from watcher.report.item_report import is_compiled
from watcher.report.routes import Backport, PickOutcome, Place, Step, Ways, compose_routes
from watcher.settings.records import SourceKind

MISSING: Final = frozenset({Presence.PRESENT, Presence.PARTLY, Presence.UNKNOWN, Presence.ABSENT})
_FILES: Final = frozenset({Part.FILES})
TRIED_IN_LISTS: Final = 20
_PACKAGED: Final = frozenset({SourceKind.LOCK, SourceKind.REQUIREMENTS, SourceKind.IMAGE})


class RouteFinder:
    """Finds the routes of one pin's missing changes; what they share is read once.

    ``site`` is the site-packages directory that holds the upstream's package, for an installed
    wheel.
    """

    def __init__(
        self,
        standing: tuple[Pinned, ResolvedPin, Horizon],
        store: Store,
        *,
        bindings: Bindings,
        site: str | None = None,
    ) -> None:
        self.pinned, self.pin, self.horizon = standing
        self.store = store
        self.bindings = bindings
        self.site = site
        self.trials = PickTrials(followed=self.pinned.followed, store=store, pin=self.pin)
        self._warnings: dict[str, tuple[str, ...]] = {}

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """Where the pin could move to."""
        return read_targets(self.pinned, self.pin, self.horizon, self.store)

    def with_routes(self, items: Sequence[Item], *, tried: int = 0) -> list[Item]:
        """The items with their routes; picks are tried for the first ``tried`` of them."""
        wanted = [one.sha for one in items if one.sha is not None and one.presence in MISSING]
        if not wanted:
            return list(items)
        may_be_there = [
            one.sha for one in items if one.sha in wanted and one.presence is not Presence.ABSENT
        ]
        picked = frozenset(may_be_there[:tried])
        links = self.store.links(self.pin.upstream, wanted)
        changes = self._changes(wanted, _FILES)
        self.trials.pick_each([one for sha, one in changes.items() if sha in picked])

        def routed(one: Item) -> Item:
            change = changes.get(one.sha or "")
            if change is None:
                return one
            trial = self.trials.pick_as_known if one.sha in picked else None
            return self.with_route(one, change, links.get(change.sha), trial)

        return [routed(one) for one in items]

    def with_route(
        self,
        item: Item,
        change: Change,
        links: Links | None,
        trial: Callable[[Change], PickOutcome] | None,
    ) -> Item:
        """The item with its routes; none for what the pin has or upstream took back.

        ``trial`` is one of the ways of ``PickTrials`` to try a pick, or None.
        """
        if item.presence not in MISSING:
            return item
        pick = None if trial is None else trial(change)
        needed = self._changes(() if pick is None else pick.prerequisites, _FILES)
        on_line = self._on_line(change, links)
        ways = Ways(
            item=item.id,
            sha=change.sha,
            files=change.diff.files,
            is_merge=len(change.message.parents) > 1,
            place=self.place,
            release=self._release(on_line, links),
            backport=self._backport(change, links),
            pick=pick,
            prerequisite_names=tuple(
                item_name(self.pin.name, one.number, one.sha) for one in needed.values()
            ),
            prerequisite_files=tuple(file for one in needed.values() for file in one.diff.files),
            head=self._head(on_line),
            has_patch_files=bool(self.pinned.setting.patches),
        )
        return replace(item, routes=compose_routes(ways))

    @cached_property
    def place(self) -> Place:
        """Where the commands act: on a wheel when there is one, else on a git checkout."""
        setting = self.pinned.setting
        kind = None if setting.source is None else setting.source.kind
        is_packaged = kind in _PACKAGED or (kind is SourceKind.INSTALLED and self.site is not None)
        package = self.pinned.followed.profile.package if is_packaged else None
        return Place(remote=setting.git, package=package, site=self.site)

    def warnings(self, target: Target) -> tuple[str, ...]:
        """What a target would break among the other pins."""
        if target.name not in self._warnings:
            self._warnings[target.name] = self.bindings.warnings(target)
        return self._warnings[target.name]

    def step(self, target: Target) -> Step:
        """A target as a step of a route."""
        first = self._first_compiled
        return Step(
            name=target.name,
            sha=target.pin.sha,
            distance=target.pin.position - self.pin.position,
            version=target.version,
            is_own_branch=target.pin.branch in self._own_branches,
            needs_build=first is not None and first <= target.pin.position,
            warnings=self.warnings(target),
        )

    def _on_line(self, change: Change, links: Links | None) -> Change:
        """The same change on the tracked line, for one that landed on a release branch."""
        if change.position is not None or links is None:
            return change
        same = self._changes(links.equivalents, frozenset()).values()
        return next((one for one in same if one.position is not None), change)

    def _release(self, change: Change, links: Links | None) -> Step | None:
        holding = (one for one in self.targets if not one.is_head and one.holds(change, links))
        target = next(holding, None)
        return None if target is None else self.step(target)

    def _head(self, change: Change) -> Step | None:
        target = next((one for one in self.targets if one.is_head), None)
        return None if target is None or not target.holds(change, None) else self.step(target)

    def _backport(self, change: Change, links: Links | None) -> Backport | None:
        """The same change on the pin's branch after the pin, if somebody brought it there."""
        if not self._own_branches:
            return None
        names = tuple(dict.fromkeys([change.sha, *(links.equivalents if links else ())]))
        for one in self._changes(names, frozenset()).values():
            is_after = one.sha not in self.pin.carried and one.sha != self.pin.sha
            is_known = not self.horizon.is_moved or one.message.committed_at <= self.horizon.at
            if one.position is None and one.branch in self._own_branches and is_after and is_known:
                is_merge = len(one.message.parents) > 1
                return Backport(sha=one.sha, branch=one.branch, is_merge=is_merge)
        return None

    @cached_property
    def _own_branches(self) -> frozenset[str]:
        """Release branches that go on from the pin: the one it is on, or those that start at it."""
        if self.pin.branch is not None:
            return frozenset({self.pin.branch})
        which = ChangeFilter(off_line=True, parts=frozenset())
        beside = self.store.changes(self.pin.upstream, which)
        return frozenset(one.branch for one in beside if one.message.parents[:1] == (self.pin.sha,))

    def _changes(self, shas: Sequence[str], parts: frozenset[Part]) -> dict[str, Change]:
        if not shas:
            return {}
        which = ChangeFilter(shas=tuple(shas), off_line=None, parts=parts)
        return {one.sha: one for one in self.store.changes(self.pin.upstream, which)}

    @cached_property
    def _first_compiled(self) -> int | None:
        """Position of the first change after the pin that touches compiled code."""
        key, made_from = f"{self.pin.upstream}@{self.pin.fork_point}", self.horizon.head
        kept = self.store.document("compiled", key)
        if isinstance(kept, dict) and kept.get("from") == made_from:
            first = kept.get("first")
            return first if isinstance(first, int) else None
        which = ChangeFilter(
            after=self.pin.position,
            until=self.horizon.position,
            parts=_FILES,
        )
        places = (
            change.position
            for change in self.store.changes(self.pin.upstream, which)
            if is_compiled(change.diff.files)
        )
        found = next(places, None)
        self.store.save_document("compiled", key, {"from": made_from, "first": found})
        return found
