"""Of several mends of one bug the one in the traceback stands first."""

from __future__ import annotations

from watcher.facts.item import Evidence, EvidenceKind, Item
from watcher.facts.kind import Kind
from watcher.pipeline.family_order import lend

FAMILY = ("verl#1", "verl#2")


def make(number: int, *, frame: float = 0.0, family: tuple[str, ...] = FAMILY) -> Item:
    evidence = [Evidence(kind=EvidenceKind.TEXT, weight=1.0, detail="words")]
    if frame:
        evidence.append(Evidence(kind=EvidenceKind.FRAME, weight=frame, detail="frame 1"))
    return Item(
        id=f"verl#{number}",
        pin="verl",
        kind=Kind.FIX,
        title="t",
        family=family,
        evidence=tuple(evidence),
        constant=-4.0,
    )


def order(*pairs: tuple[Item, float]) -> list[str]:
    return [item.id for item, _ in sorted(lend(pairs), key=lambda pair: -pair[1])]


def test_the_mend_in_the_traceback_passes_the_one_that_quotes_the_error() -> None:
    assert order((make(1), 9.0), (make(2, frame=1.5), 6.0)) == ["verl#2", "verl#1"]


def test_what_is_lent_is_shown_and_adds_up() -> None:
    item, total = lend([(make(1), 9.0), (make(2, frame=1.5), 6.0)])[1]

    assert total == 9.1
    assert item.evidence[-1].weight == 3.1
    assert "verl#1" in item.evidence[-1].detail


def test_without_a_traceback_nothing_moves() -> None:
    pairs = [(make(1), 9.0), (make(2), 6.0)]

    assert lend(pairs) == pairs


def test_other_families_do_not_lend() -> None:
    alone = make(3, frame=2.0, family=())

    assert order((make(1), 9.0), (alone, 6.0)) == ["verl#1", "verl#3"]


def test_a_leader_with_more_of_the_traceback_stays() -> None:
    assert order((make(1, frame=3.0), 9.0), (make(2, frame=1.5), 6.0)) == ["verl#1", "verl#2"]
