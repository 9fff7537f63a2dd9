"""The use case ``upgrade``: what each later release and the head would bring, and what it costs.

One assessment at the pin; every target is then a look-up of presence at its position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from watcher.errors import UsageError
from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Item, Tier
from watcher.facts.kind import Kind
from watcher.facts.links import Links
from watcher.facts.presence import Presence
from watcher.pipeline.assess import Assessor
from watcher.pipeline.finding import Finding
from watcher.pipeline.items import by_likeliness
from watcher.pipeline.listing import SHOWN_TIERS
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.routes import RouteFinder
from watcher.pipeline.targets import Target
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.report.answer import Answer, PinStatus
from watcher.report.item_report import is_compiled, is_installed
from watcher.report.routes import patch_commands, pick_command, step_commands
from watcher.report.upgrade import PickSeries, TargetReport, Upgrade

MENDING: Final = frozenset({Kind.FIX, Kind.REVERT})
_THERE: Final = frozenset({Presence.PRESENT, Presence.PARTLY})
_TOUCHING: Final = frozenset(
    {
        EvidenceKind.PATH,
        EvidenceKind.SYMBOL,
        EvidenceKind.IMPORT,
        EvidenceKind.CONFIG,
        EvidenceKind.KEYWORD,
    }
)


@dataclass(frozen=True, kw_only=True)
class UpgradeReader:
    """Works out the upgrade of one pin."""

    finder: RouteFinder
    assessor: Assessor

    def read(self) -> Upgrade:
        """Every target, and the picks that would do instead."""
        missing = self._missing
        return Upgrade(
            pin=self.finder.pin.name,
            targets=tuple(self._report(target) for target in self.finder.targets),
            likely=sum(one.tier is Tier.LIKELY for one in missing),
            possible=sum(one.tier is Tier.POSSIBLE for one in missing),
            picks=self._picks(),
        )

    def _report(self, target: Target) -> TargetReport:
        step = self.finder.step(target)
        gained = [
            one for one in self._missing if target.holds(self._change(one), self._links_of(one))
        ]
        return TargetReport(
            name=target.name,
            sha=target.pin.sha,
            is_head=target.is_head,
            distance=step.distance,
            gained=tuple(gained),
            caught=tuple(by_likeliness(self._caught(target))),
            reverts=tuple(self._taken_away(target)),
            breaking=tuple(self._breaking(target)),
            bound=step.warnings,
            commands=step_commands(step, self.finder.place, is_release=not target.is_head),
            rebuild=step.needs_build and (self.finder.place.package is None or target.is_head),
        )

    # --- what is gained ---

    @cached_property
    def _found(self) -> list[Finding]:
        finder = self.finder
        return self.assessor.findings(finder.pinned, finder.pin, finder.horizon)

    @cached_property
    def _missing(self) -> list[Item]:
        """Likely and possible mends that the pin lacks, likeliest first."""
        return [
            each.item
            for each in self._found
            if each.collapsed is None
            and each.item.kind in MENDING
            and each.item.tier in SHOWN_TIERS
            and each.item.sha in self._changes
        ]

    @cached_property
    def _changes(self) -> Mapping[str, Change]:
        """Everything after the pin with files and origins, by sha."""
        finder = self.finder
        upstream, parts = finder.pin.upstream, frozenset({Part.FILES, Part.ORIGINS})
        later = ChangeFilter(after=finder.pin.position, until=finder.horizon.position, parts=parts)
        changes = self.assessor.store.changes(upstream, later)
        on_line = {one.sha for one in changes}
        wanted = {each.item.sha for each in self._found if each.item.sha is not None} - on_line
        if wanted:
            beside = ChangeFilter(shas=tuple(wanted), off_line=None, parts=parts)
            changes += self.assessor.store.changes(upstream, beside)
        return {one.sha: one for one in changes}

    @cached_property
    def _links(self) -> Mapping[str, Links]:
        return self.assessor.links(self.finder.pinned, self.finder.horizon)

    def _change(self, item: Item) -> Change:
        return self._changes[item.sha or ""]

    def _links_of(self, item: Item) -> Links | None:
        return self._links.get(item.sha or "")

    # --- what it costs ---

    @cached_property
    def _absent(self) -> list[tuple[Item, Change]]:
        """Mends of what came after the pin that concern the user, with their tier by usage."""
        return [
            (replace(each.item, tier=each.by_usage), self._change(each.item))
            for each in self._found
            if each.item.presence is Presence.ABSENT
            and each.item.kind in MENDING
            and each.by_usage in SHOWN_TIERS
            and each.item.sha in self._changes
        ]

    def _caught(self, target: Target) -> Iterator[Item]:
        """Bugs that are not at the pin, are at the target, and are mended only after it."""
        finder = self.finder
        contained = self.assessor.carried.contained(finder.pinned, target.pin, finder.horizon)
        state = PinState(self.assessor.store, target.pin, finder.horizon, contained, self._links)
        for item, change in self._absent:
            if target.holds(change, self._links_of(item)):
                continue
            verdict = state.verdict(change)
            if verdict.presence in _THERE:
                detail = verdict.detail.replace("your pin", target.name)
                yield replace(item, presence=verdict.presence, presence_detail=detail)

    def _taken_away(self, target: Target) -> Iterator[Item]:
        """Reverts on the way that take back what the pin has."""
        held = {
            change.sha
            for change in self._reverted()
            if change.position is not None and change.position <= self.finder.pin.position
        } | set(self.finder.pin.carried)
        for item, _ in self._on_the_way(target):
            links = self._links_of(item)
            if item.kind is Kind.REVERT and links and not held.isdisjoint(links.reverts):
                yield item

    def _reverted(self) -> list[Change]:
        """What the reverts after the pin take back."""
        wanted = {
            sha
            for each in self._found
            if each.item.kind is Kind.REVERT
            for sha in self._reverts_of(each.item)
        }
        if not wanted:
            return []
        which = ChangeFilter(shas=tuple(wanted), off_line=None, parts=frozenset())
        return self.assessor.store.changes(self.finder.pin.upstream, which)

    def _reverts_of(self, item: Item) -> tuple[str, ...]:
        links = self._links_of(item)
        return links.reverts if links else ()

    def _breaking(self, target: Target) -> Iterator[Item]:
        """Breaking changes on the way that touch what the user runs."""
        for item, change in self._on_the_way(target):
            touches = any(one.kind in _TOUCHING and one.weight > 0 for one in item.evidence)
            if change.message.breaking and touches:
                yield item

    def _on_the_way(self, target: Target) -> Iterator[tuple[Item, Change]]:
        """Items between the pin and a target."""
        for each in self._found:
            change = self._changes.get(each.item.sha or "")
            if change is not None and target.holds(change, self._links_of(each.item)):
                yield each.item, change

    # --- picks instead ---

    def _picks(self) -> PickSeries:
        """The likely items that apply cleanly, and those of them that apply together."""
        wanted = [self._change(one) for one in self._missing if one.tier is Tier.LIKELY]
        wanted.sort(key=lambda one: (one.position is None, one.position or 0))
        trials, place = self.finder.trials, self.finder.place
        outcomes = trials.pick_each(wanted)
        clean = [
            one
            for one in wanted
            if outcomes[one.sha].is_clean
            and not outcomes[one.sha].is_empty
            and (place.package is None or self._is_patchable(one))
        ]
        joined = trials.joined(clean) if clean else ()
        names = {one.sha: one.id for one in self._missing}
        items = tuple(names[one.sha] for one in joined)
        return PickSeries(
            wanted=len(wanted),
            clean=len(clean),
            items=items,
            commands=self._pick_commands(joined, items) if joined else (),
            rebuild=any(is_compiled(one.diff.files) for one in joined),
            as_patches=place.package is not None,
        )

    def _is_patchable(self, change: Change) -> bool:
        """True when an installed package can take the change: files that it holds, no build."""
        module = self.finder.pinned.followed.profile.module
        files = change.diff.files
        return any(is_installed(one, module) for one in files) and not is_compiled(files)

    def _pick_commands(self, changes: Sequence[Change], items: Sequence[str]) -> tuple[str, ...]:
        place = self.finder.place
        if place.package is not None:
            return patch_commands(items, place)
        has_merge = any(len(one.message.parents) > 1 for one in changes)
        shas = tuple(one.sha for one in changes)
        return (pick_command(place.remote, shas, has_merge=has_merge),)


def upgrade_pin(
    finder: RouteFinder | None,
    assessor: Assessor,
    statuses: Sequence[PinStatus],
    limit: int | None,
) -> tuple[Answer, Upgrade]:
    """The answer and the targets of one pin. Raises UsageError for a pin without a commit.

    The answer's items are what the smallest target that covers all likely items brings (else the
    head), each with the first target that holds it.
    """
    if finder is None:
        reason = next((one.reason for one in statuses if one.reason), "the pin is not resolved")
        raise UsageError(reason, where="upgrade")
    upgrade = UpgradeReader(finder=finder, assessor=assessor).read()
    gained = _gained(upgrade)
    shown = gained if limit is None else gained[:limit]
    beyond = len(gained) - len(shown)
    answer = Answer(
        command="upgrade",
        generated_at=assessor.now,
        pins=tuple(statuses),
        items=tuple(finder.with_routes(shown)),
        collapsed=(("beyond the limit", beyond),) if beyond else (),
        searched_changes=finder.horizon.position - finder.pin.position,
    )
    return answer, upgrade


def _gained(upgrade: Upgrade) -> list[Item]:
    if not upgrade.targets:
        return []
    target = upgrade.smallest or upgrade.targets[-1]
    first: dict[str, str] = {}
    for one in upgrade.targets:
        for item in one.gained:
            first.setdefault(item.id, one.name)
    return [
        replace(item, extra=(*item.extra, ("gained_in", first[item.id]))) for item in target.gained
    ]
