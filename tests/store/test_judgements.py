"""Findings keep their first sighting; decisions keep their history."""

from datetime import UTC, datetime, timedelta

from watcher.ports.decision import Decision, Sighting
from watcher.ports.json import Json
from watcher.store.repository import SqlStore

DAY = datetime(2026, 5, 1, tzinfo=UTC)
NEXT = DAY + timedelta(days=1)


def items(*names: str) -> list[tuple[str, Json]]:
    return [(name, {"id": name}) for name in names]


def test_findings_come_back_in_the_order_saved(store: SqlStore) -> None:
    assert store.findings("verl") is None

    store.save_findings("verl", "f1", items("verl#9", "verl#2", "verl#5"), DAY)

    assert store.findings("verl") == (
        "f1",
        [{"id": "verl#9"}, {"id": "verl#2"}, {"id": "verl#5"}],
    )
    assert store.findings("vllm") is None


def test_no_findings_are_an_answer_too(store: SqlStore) -> None:
    store.save_findings("verl", "f1", [], DAY)

    assert store.findings("verl") == ("f1", [])


def test_an_item_keeps_its_first_sighting_even_when_it_was_gone_for_a_while(
    store: SqlStore,
) -> None:
    store.save_findings("verl", "f1", items("verl#1", "verl#2"), DAY)
    store.mark_seen("verl", ["verl#1"])

    store.save_findings("verl", "f2", items("verl#2", "verl#3"), NEXT)
    assert store.sightings("verl") == {
        "verl#1": Sighting(DAY, is_seen=True, is_current=False),
        "verl#2": Sighting(DAY, is_seen=False, is_current=True),
        "verl#3": Sighting(NEXT, is_seen=False, is_current=True),
    }
    assert store.findings("verl") == ("f2", [{"id": "verl#2"}, {"id": "verl#3"}])

    store.save_findings("verl", "f3", items("verl#1"), NEXT)
    assert store.sightings("verl")["verl#1"] == Sighting(DAY, is_seen=True, is_current=True)


def test_many_findings_are_saved_and_marked_in_batches(store: SqlStore) -> None:
    names = [f"verl#{n}" for n in range(1201)]
    store.save_findings("verl", "f", items(*names), DAY)

    store.mark_seen("verl", names)

    assert all(one.is_seen for one in store.sightings("verl").values())
    assert len(store.sightings("verl")) == 1201


def test_decisions_are_kept_in_order_with_who_when_and_why(store: SqlStore) -> None:
    ignored = Decision(
        pin="verl",
        item="verl#1",
        state="ignored",
        at=DAY,
        reason="NPU only",
        until="2027-01-01",
        by="ada",
    )
    reopened = Decision(pin="verl", item="verl#1", state="open", at=DAY - timedelta(days=9))
    other = Decision(pin="vllm", item="vllm#1", state="acknowledged", at=NEXT)
    for decision in (ignored, reopened, other):
        store.save_decision(decision)

    assert store.decisions() == [ignored, reopened, other]
    assert store.decisions("verl") == [ignored, reopened]
