"""Facets that a change speaks of, against those that the usage has or rules out.

Pure. A facet of an exclusive group that the usage does not have excludes the change when the change
speaks of no other facet of that group: ``[NPU] fix …`` for a CUDA user. The title decides before
the files: a title that names the user's own facet is never excluded by a path.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from watcher.facts import Change, EvidenceKind, FacetUse
from watcher.matching.document import code_files
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.upstreams.profile import FacetRule


def facet_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """What the facets of a change say about this usage."""
    title = _title(change)
    named = [rule for rule in context.rules.values() if rule.words.search(title)]
    yield from _exclusions(change, named, context)
    for rule in named:
        use = context.facets.get(rule.name)
        if use is not None and use.is_on:
            yield Signal(
                "facet_on",
                _rarity(use, context),
                EvidenceKind.FACET,
                f"its title speaks of {rule.name}, which you run ({use.detail}, {use.source})",
            )
        elif use is not None and rule.group is None:
            yield Signal("facet_off", 1.0, EvidenceKind.FACET, _off(rule.name, use))


def _title(change: Change) -> str:
    """Title, tags and labels as one text."""
    return " ".join((change.message.subject, *change.message.tags, *change.labels))


def _exclusions(change: Change, named: list[FacetRule], context: UsageContext) -> Iterator[Signal]:
    decided = {rule.group for rule in named if rule.group}
    groups: dict[str, list[str]] = {}
    for rule in named:
        if rule.group:
            groups.setdefault(rule.group, []).append(rule.name)
    for rule in _of_all_files(change, context):
        if rule.group and rule.group not in decided:
            groups.setdefault(rule.group, []).append(rule.name)
    for names in groups.values():
        ruled_out = [name for name in names if context.is_off(name)]
        if ruled_out and not any(context.is_on(name) for name in names):
            use = context.facets[ruled_out[0]]
            yield Signal(
                "facet_excluded", 1.0, EvidenceKind.FACET, _off(ruled_out[0], use), excludes=True
            )


def _of_all_files(change: Change, context: UsageContext) -> list[FacetRule]:
    """Facets to which every file with code of the change belongs."""
    paths = [file.path for file in code_files(change.diff.files)]
    if not paths:
        return []
    return [
        rule
        for rule in context.rules.values()
        if rule.paths is not None and all(rule.paths.search(path) for path in paths)
    ]


def _off(name: str, use: FacetUse) -> str:
    return f"speaks of {name} only, which you do not run ({use.detail}, {use.source})"


def _rarity(use: FacetUse, context: UsageContext) -> float:
    """More for a facet that the user chose against the common case."""
    chosen = [item.importance for item in context.settings if item.setting.source == use.source]
    return math.sqrt(max(chosen, default=0.1))
