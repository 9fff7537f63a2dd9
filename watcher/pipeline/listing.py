"""The use case ``list``: what the pins lack, likeliest first, nothing hidden without a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct, field

from watcher.facts.item import Item, Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.pipeline.assess import Assessor
from watcher.pipeline.decisions import Ruling, annotated
from watcher.pipeline.finding import Finding
from watcher.pipeline.items import by_likeliness
from watcher.pipeline.pinned import Pinned, resolved
from watcher.report.answer import Answer, PinStatus

SHOWN_KINDS = frozenset({Kind.FIX, Kind.REVERT, Kind.ISSUE, Kind.ADVISORY})
SHOWN_TIERS = frozenset({Tier.LIKELY, Tier.POSSIBLE})
IGNORED: Final = "ignored"
_REASONS_SHOWN: Final = 5


class ListFilter(Struct, frozen=True, kw_only=True):
    """What a list shows. An empty set means the default of that filter."""

    tiers: frozenset[Tier] = frozenset()
    kinds: frozenset[Kind] = frozenset()
    presences: frozenset[Presence] = frozenset()
    everything: bool = False
    """True lifts every filter that is not given."""
    limit: int | None = None
    decided: Mapping[str, Ruling] = field(default_factory=dict)
    """What people decided about items; ignored ones are only counted unless everything is shown."""

    def why_not(self, found: Finding) -> str | None:
        """Reason under which an item is only counted, or None when it is shown."""
        item = found.item
        if self.kinds:
            if item.kind not in self.kinds:
                return "of other kinds"
        elif not self.everything and item.kind not in SHOWN_KINDS:
            return "not fixes"
        if self.presences:
            if item.presence not in self.presences:
                return "of other presence"
        elif not self.everything and found.collapsed not in {None, "unlikely"}:
            return found.collapsed
        if self.tiers and item.tier not in self.tiers:
            return "of other tiers"
        if self.everything:
            return None
        if not self.tiers and item.tier is not None and item.tier not in SHOWN_TIERS:
            return "unlikely"
        return IGNORED if self._is_ignored(item) else None

    def _is_ignored(self, item: Item) -> bool:
        return item.id in self.decided and self.decided[item.id].is_ignored


def list_items(
    pins: Sequence[Pinned],
    statuses: Sequence[PinStatus],
    assessor: Assessor,
    which: ListFilter,
    *,
    now: datetime,
    more: Iterable[Finding] = (),
) -> Answer:
    """The list over all pins that are resolved; ``more`` are advisories and issues."""
    found = [each for one, pin, at in resolved(pins) for each in assessor.findings(one, pin, at)]
    searched = len(found)
    others = list(more)
    shown, collapsed = _sift([*found, *others], which)
    items = by_likeliness(annotated(shown, which.decided))
    return Answer(
        command="list",
        generated_at=now,
        pins=tuple(statuses),
        items=tuple(items if which.limit is None else items[: which.limit]),
        collapsed=_counted(collapsed, items, which.limit),
        searched_changes=searched,
        searched_issues=sum(each.item.kind is Kind.ISSUE for each in others),
        notes=_notes([*found, *others], which),
    )


def _sift(found: Iterable[Finding], which: ListFilter) -> tuple[list[Item], Counter[str]]:
    shown: list[Item] = []
    collapsed: Counter[str] = Counter()
    for each in found:
        reason = which.why_not(each)
        if reason is None:
            shown.append(each.item)
        else:
            collapsed[reason] += 1
    return shown, collapsed


def _notes(found: Iterable[Finding], which: ListFilter) -> tuple[str, ...]:
    """Why items are ignored, the first few."""
    ids = [each.item.id for each in found if which.why_not(each) == IGNORED]
    notes = [f"{name} {which.decided[name].phrase}" for name in ids[:_REASONS_SHOWN]]
    return tuple(notes)


def _counted(
    collapsed: Counter[str], items: Sequence[Item], limit: int | None
) -> tuple[tuple[str, int], ...]:
    if limit is not None and len(items) > limit:
        collapsed["beyond the limit"] = len(items) - limit
    return tuple(sorted(collapsed.items()))
