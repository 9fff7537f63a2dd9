"""One bug, several mends: the mend in the user's traceback stands first. Pure.

Another mend of the same bug may quote the very error text; when one error has several causes, the
file of the failing frame decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from watcher.facts.item import Evidence, EvidenceKind, Item
from watcher.matching.rank import logistic

_AHEAD: Final = 0.1
_MOST: Final = 8.0
"""What the family of a mend can lend it at most."""


def frame_weight(item: Item) -> float:
    """How much of an item's score the traceback gives."""
    return sum(one.weight for one in item.evidence if one.kind is EvidenceKind.FRAME)


def lend(items: Sequence[tuple[Item, float]]) -> list[tuple[Item, float]]:
    """(item, total) with what the best of each family lends to the one in the traceback."""
    best: dict[tuple[str, ...], tuple[Item, float]] = {}
    framed: dict[tuple[str, ...], Item] = {}
    for item, total in items:
        if len(item.family) < 2:
            continue
        if item.family not in best or total > best[item.family][1]:
            best[item.family] = (item, total)
        held = framed.get(item.family)
        if frame_weight(item) > (0.0 if held is None else frame_weight(held)):
            framed[item.family] = item
    return [
        _lent(item, total, best[item.family])
        if framed.get(item.family) is item and best[item.family][0] is not item
        else (item, total)
        for item, total in items
    ]


def _lent(item: Item, total: float, best: tuple[Item, float]) -> tuple[Item, float]:
    leader, wanted = best
    if frame_weight(leader) >= frame_weight(item):
        return item, total
    weight = min(wanted - total + _AHEAD, _MOST)
    detail = f"mends the same bug as {leader.id}, in the code that your traceback goes through"
    reason = Evidence(kind=EvidenceKind.FRAME, weight=round(weight, 3), detail=detail)
    total += weight
    score = logistic(item.constant + total)
    return replace(item, score=score, evidence=(*item.evidence, reason)), total
