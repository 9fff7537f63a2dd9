"""The use case of local causes: what recognises a symptom, and what is a hazard without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.advisories.items import advisory_item
from watcher.advisories.keys import HYDRA_SLUG, key_reason, refused_keys, unknown_key_match
from watcher.advisories.match import for_symptom, hazards
from watcher.advisories.own_code import own_code_match
from watcher.advisories.ranges import (
    joined_versions,
    listed_versions,
    range_advisory,
    range_match,
)
from watcher.advisories.record import Advisory, AdvisoryMatch, Confidence
from watcher.errors import UsageError
from watcher.facts.item import Item, Tier
from watcher.facts.pin import ResolvedPin
from watcher.facts.symptom import Symptom
from watcher.pins.upstream_requirements import UpstreamRequirement
from watcher.pipeline.bindings import Setup, broken_ranges, kept_requirements
from watcher.pipeline.finding import Finding
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.user import User
from watcher.ports.store import Store
from watcher.report.escape import one_line
from watcher.usage.read import UNKNOWN_KEY

if TYPE_CHECKING:
    from watcher.report.item_report import ItemReport

_WORTH_TELLING: Final = 0.4
"""Share of the best match's strength below which another cause is not told."""
MOST_TOLD: Final = 5
"""Advisories that are told to one symptom."""


class Adviser(Struct, frozen=True, kw_only=True):
    """Tells local causes to one user."""

    catalogue: tuple[Advisory, ...]
    user: User
    pins: Sequence[Pinned]
    store: Store

    def recognise(self, symptom: Symptom) -> list[Item]:
        """Advisories that recognise a symptom, best first.

        ``likely`` are those that name the cause; ``possible`` those that only say where to look.
        """
        told = self._outside(symptom)
        ranges = [match for _, match in told]
        found = for_symptom(
            self.catalogue, symptom, self.user.usage, tuple(self.user.usage.packages)
        )
        matches = [self._completed(match, symptom) for match in (*ranges, *found)]
        own = own_code_match(symptom, {one.followed.profile.module for one in self.pins})
        if own is not None and not any(match.advisory.is_last is False for match in matches):
            matches.append(own)
        matches.sort(key=lambda match: (match.advisory.is_last, -match.strength))
        least = _WORTH_TELLING * matches[0].strength if matches else 0.0
        matches = [match for match in matches if match.advisory.is_last or match.strength >= least]
        names = {match.advisory.slug: name for name, match in told}
        return [
            self._item(match, names.get(match.advisory.slug, "")) for match in matches[:MOST_TOLD]
        ]

    def hazards(self) -> list[Finding]:
        """Advisories that the present versions and settings are known to meet."""
        usage = self.user.usage
        found = [("", match) for match in hazards(self.catalogue, usage, usage.packages)]
        found += self._outside(None)
        found += [("", match) for match in self._unknown_keys()]
        return [Finding(item=self._item(match, name)) for name, match in found]

    def report(self, name: str) -> ItemReport:
        """What ``show advisory:SLUG`` tells. Raises UsageError for what is not known."""
        present = {found.item.id: found.item for found in self.hazards()}
        entries = {advisory.id: advisory for advisory in self.catalogue}
        if name in present:
            item = present[name]
        elif name in entries:
            item = advisory_item(AdvisoryMatch(advisory=entries[name], strength=0.0), tier=None)
        else:
            mend = "`watcher list --kind advisory` names those that hold here"
            raise UsageError("no such advisory", where=one_line(name, 80), mend=mend)
        from watcher.report.item_report import ItemReport

        known = dict(item.extra)
        return ItemReport(
            item=item,
            summary=item.title,
            action=known["remedy"],
            motivation=known.get("note", ""),
            affected=(known["true_for"],),
            lines=tuple(one.detail for one in item.evidence),
        )

    def _item(self, match: AdvisoryMatch, pin: str) -> Item:
        weak = match.advisory.is_last or match.advisory.confidence is Confidence.REPORTED
        item = advisory_item(match, tier=Tier.POSSIBLE if weak else Tier.LIKELY)
        return replace(item, pin=pin)

    def _outside(self, symptom: Symptom | None) -> list[tuple[str, AdvisoryMatch]]:
        """Versions outside an upstream's own ranges, each with the pin that asks."""
        found = []
        for one, pin, _ in resolved(self.pins):
            requirements = kept_requirements(one.followed, pin.sha, self.store)
            for requirement, version in self._broken(requirements, symptom):
                advisory = range_advisory(
                    requirement, version, owner_of(one, pin), _url(one, pin, requirement)
                )
                match = range_match(advisory, requirement, version, symptom)
                if match is not None:
                    found.append((one.name, match))
        return found

    def _broken(
        self, requirements: Sequence[UpstreamRequirement], symptom: Symptom | None
    ) -> Iterator[tuple[UpstreamRequirement, str]]:
        names = list(dict.fromkeys(one.package for one in requirements))
        groups: list[Iterable[tuple[str, str]]] = [self.user.usage.packages]
        if symptom is not None:
            groups += [listed_versions(symptom, names).items(), symptom.versions]
        versions = joined_versions(*groups)
        setup = Setup(packages=frozenset(versions), hardware=self.user.usage.hardware)
        for name in names:
            version = versions.get(name)
            broken = broken_ranges(requirements, name, version, setup)
            if version is not None and broken:
                yield broken[0], version

    def _completed(self, match: AdvisoryMatch, symptom: Symptom) -> AdvisoryMatch:
        """The unknown-key advisory with the nearest keys of the pins."""
        if match.advisory.slug != HYDRA_SLUG:
            return match
        keys = refused_keys((*symptom.errors, *symptom.lines, symptom.text))
        reasons = [
            key_reason(key, known, where) for key in keys[-2:] for where, known in self._keys()
        ]
        return replace(match, reasons=(*match.reasons, *reasons))

    def _unknown_keys(self) -> Iterator[AdvisoryMatch]:
        for source, text in self.user.usage.not_understood:
            key, _, reason = text.partition(": ")
            if reason == UNKNOWN_KEY:
                for where, known in self._keys()[:1]:
                    yield unknown_key_match(key, str(source), known, where)

    def _keys(self) -> list[tuple[str, list[str]]]:
        """Each pin's name for people and the keys of its own configuration, where known."""
        found = []
        for one, pin, _ in resolved(self.pins):
            ways = self.user.ways.get(one.name)
            if ways is not None and ways.baseline.defaults:
                found.append((owner_of(one, pin), list(ways.baseline.defaults)))
        return found


def owner_of(one: Pinned, pin: ResolvedPin) -> str:
    """The upstream at the pin as people call it, ``verl v0.8.0``."""
    name = one.followed.profile.package or one.followed.profile.name
    return f"{name} {pin.ref if len(pin.ref) < 40 else pin.sha[:9]}"


def _url(one: Pinned, pin: ResolvedPin, requirement: UpstreamRequirement) -> str:
    line = f"#L{requirement.line}" if requirement.line else ""
    return f"https://github.com/{one.followed.upstream}/blob/{pin.sha}/{requirement.path}{line}"
