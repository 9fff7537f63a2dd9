"""Facets that a change speaks of, against those that the usage has or rules out.

Pure. A facet of an exclusive group that the usage does not have excludes the change when the change
speaks of no other facet of that group: ``[NPU] fix …`` for a CUDA user. The title decides before
the files: a title that names the user's own facet is never excluded by a path.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.facts.usage import FacetUse
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal

_BY_DEFAULT = 0.03
"""Importance of a facet that nobody chose."""


def facet_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """What the facets of a change say about this usage."""
    named = _named(change, context)
    yield from _exclusions(change, named, context)
    for name in named:
        use = context.facets.get(name)
        if use is not None and use.is_on:
            detail = f"its title speaks of {name}, which you run ({use.detail}, {use.source})"
            yield Signal("facet_on", _rarity(use, context), EvidenceKind.FACET, detail)
        elif use is not None and use.group is None and context.rules[name].group is None:
            yield Signal("facet_off", 1.0, EvidenceKind.FACET, _off(name, use))


def _named(change: Change, context: UsageContext) -> list[str]:
    """Facets of the title, its tags and the labels."""
    names = dict.fromkeys(name for name in change.message.facets if name in context.rules)
    if change.labels:
        labels = " ".join(change.labels)
        names |= {name: None for name, rule in context.rules.items() if rule.words.search(labels)}
    return list(names)


def _exclusions(change: Change, named: list[str], context: UsageContext) -> Iterator[Signal]:
    groups: dict[str, list[str]] = {}
    tagged = _tagged(change, named, context)
    decided = {context.rules[name].group for name in tagged}
    for name in named:
        group = context.rules[name].group
        if group and (group not in decided or name in tagged):
            groups.setdefault(group, []).append(name)
    for name in _of_all_files(change, context):
        group = context.rules[name].group
        if group and not any(context.rules[other].group == group for other in named):
            groups.setdefault(group, []).append(name)
    for names in groups.values():
        ruled_out = [name for name in names if context.is_off(name)]
        if ruled_out and not any(context.is_on(name) for name in names):
            detail = _off(ruled_out[0], context.facets[ruled_out[0]])
            yield Signal("facet_excluded", 1.0, EvidenceKind.FACET, detail, at_most=Tier.UNLIKELY)


def _tagged(change: Change, named: list[str], context: UsageContext) -> set[str]:
    """Facets of the title's tags: ``[XPU] … in the CUDA wrapper`` is about XPU."""
    tags = [f"[{tag}]" for tag in change.message.tags]
    return {name for name in named if any(context.rules[name].words.search(tag) for tag in tags)}


def _of_all_files(change: Change, context: UsageContext) -> frozenset[str]:
    """Exclusive facets to which every shipped file of the change belongs."""
    paths = [file.path for file in change.diff.files if file.role.is_shipped]
    if not paths:
        return frozenset()
    return frozenset.intersection(*(context.facets_of_path(path) for path in paths))


def _off(name: str, use: FacetUse) -> str:
    return f"speaks of {name} only, which you do not run ({use.detail}, {use.source})"


def _rarity(use: FacetUse, context: UsageContext) -> float:
    """More for a facet that the user chose against the common case."""
    return math.sqrt(context.importance_of.get(use.detail, _BY_DEFAULT))
