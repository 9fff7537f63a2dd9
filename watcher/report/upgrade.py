"""What an upgrade would bring -> its records, the one sentence of advice, and their JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from watcher.facts.item import Item, Tier
from watcher.report.answer import Answer, answer_json
from watcher.report.words import count


class TargetReport(Struct, frozen=True, kw_only=True):
    """What one target would change for the pin."""

    name: str
    sha: str
    is_head: bool
    distance: int
    """Changes that it adds to the pin."""
    gained: tuple[Item, ...] = ()
    """Likely and possible items that it holds and the pin lacks, likeliest first."""
    caught: tuple[Item, ...] = ()
    """Bugs that the pin does not have, the target has, and whose mend landed only after it."""
    reverts: tuple[Item, ...] = ()
    """Reverts that take away what the pin has."""
    breaking: tuple[Item, ...] = ()
    """Breaking changes on what the user runs."""
    bound: tuple[str, ...] = ()
    """What would leave its range among the other pins, a sentence each."""
    commands: tuple[str, ...] = ()
    rebuild: bool = False

    def count_gained(self, tier: Tier) -> int:
        """How many gained items are of a tier."""
        return sum(one.tier is tier for one in self.gained)


class PickSeries(Struct, frozen=True, kw_only=True):
    """The likely fixes that can be had at the pin instead of moving it."""

    wanted: int = 0
    """Likely items that are missing."""
    clean: int = 0
    """Of these, how many apply cleanly each by itself."""
    items: tuple[str, ...] = ()
    """Those that apply one after the other."""
    commands: tuple[str, ...] = ()
    rebuild: bool = False
    as_patches: bool = False
    """True for an installed package: patches for its directory, in place of commits to pick."""


class Upgrade(Struct, frozen=True, kw_only=True):
    """All targets of one pin."""

    pin: str
    targets: tuple[TargetReport, ...]
    likely: int
    """Likely items that are missing at the pin."""
    possible: int
    picks: PickSeries = PickSeries()

    @property
    def smallest(self) -> TargetReport | None:
        """The first target that holds every likely item; None when there is nothing to gain."""
        if not self.likely:
            return None
        whole = (one for one in self.targets if one.count_gained(Tier.LIKELY) == self.likely)
        return next(whole, None)


def advise(upgrade: Upgrade) -> str:
    """The cheapest sensible thing to do, in one or two sentences."""
    if not upgrade.targets:
        return f"{upgrade.pin} stands at the newest commit known: nothing to upgrade to."
    if not upgrade.likely:
        more = count(upgrade.possible, "possible one")
        return f"No need to upgrade {upgrade.pin}: it lacks no likely item ({more})."
    target = upgrade.smallest
    wanted = f"all {upgrade.likely} likely items" if upgrade.likely > 1 else "the one likely item"
    if target is None:
        advice = f"No target holds {wanted} that {upgrade.pin} lacks."
    else:
        name = f"The head of {target.name}" if target.is_head else target.name
        advice = f"{name} is the smallest target with {wanted} that {upgrade.pin} lacks"
        advice += _price(target) + "."
    return f"{advice} {_instead(upgrade.picks)}".strip()


def _price(target: TargetReport) -> str:
    parts = []
    if target.caught:
        parts.append(f"{count(len(target.caught), 'bug')} newly caught")
    if target.reverts:
        parts.append(f"{count(len(target.reverts), 'change')} taken back")
    if target.breaking:
        parts.append(f"{count(len(target.breaking), 'breaking change')} on what you run")
    if target.bound:
        parts.append(f"{count(len(target.bound), 'range')} of your pins broken")
    return f" (the price: {', '.join(parts)})" if parts else ""


def _instead(picks: PickSeries) -> str:
    together = len(picks.items)
    take, end = ("patch", " into the package") if picks.as_patches else ("cherry-pick", "")
    if not together and picks.wanted:
        done = "patched into the package" if picks.as_patches else "picked cleanly onto the pin"
        return f"None of them can be {done}."
    if not together:
        return ""
    if together == picks.wanted == 1:
        return f"Or {take} that fix{end} instead: it applies cleanly."
    if together == picks.wanted:
        return f"Or {take} the {count(together, 'fix')}{end} instead: all apply cleanly."
    return f"Or {take} {together} of the {picks.wanted}{end} instead: these apply cleanly."


def upgrade_json(answer: Answer, upgrades: Sequence[Upgrade]) -> dict[str, object]:
    """The answer by the contract with the targets and the advice beside it."""
    return answer_json(answer) | {
        "targets": [_target_json(one, up) for up in upgrades for one in up.targets],
        "advice": {up.pin: advise(up) for up in upgrades},
        "picks": {up.pin: _picks_json(up.picks) for up in upgrades},
    }


def _target_json(target: TargetReport, upgrade: Upgrade) -> dict[str, object]:
    smallest = upgrade.smallest
    return {
        "pin": upgrade.pin,
        "name": target.name,
        "sha": target.sha,
        "is_head": target.is_head,
        "distance": target.distance,
        "is_smallest": smallest is not None and smallest.sha == target.sha,
        "likely": target.count_gained(Tier.LIKELY),
        "possible": target.count_gained(Tier.POSSIBLE),
        "gained": [one.id for one in target.gained],
        "caught": [_brief(one) for one in target.caught],
        "reverts": [_brief(one) for one in target.reverts],
        "breaking": [_brief(one) for one in target.breaking],
        "bound": list(target.bound),
        "commands": list(target.commands),
        "rebuild": target.rebuild,
    }


def _brief(item: Item) -> dict[str, object]:
    return {
        "id": item.id,
        "title": item.title,
        "url": item.url,
        "tier": None if item.tier is None else item.tier.value,
        "detail": item.presence_detail,
        "introduced_by": item.introduced_by,
    }


def _picks_json(picks: PickSeries) -> dict[str, object]:
    return {
        "wanted": picks.wanted,
        "clean": picks.clean,
        "items": list(picks.items),
        "commands": list(picks.commands),
        "rebuild": picks.rebuild,
        "as_patches": picks.as_patches,
    }
