"""The outbox gives each message to one worker at a time and loses none."""

from datetime import UTC, datetime, timedelta
from threading import Thread

from msgspec.structs import replace

from watcher.ports.delivery import Delivery
from watcher.store.repository import SqlStore

NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
LEASE = timedelta(minutes=10)


def delivery(key: str = "slack:2026-05-01", **fields: object) -> Delivery:
    fresh = Delivery(
        key=key,
        channel="slack",
        payload="{}",
        state="pending",
        attempts=0,
        next_try_at=None,
        created_at=NOW,
    )
    return replace(fresh, **fields)  # type: ignore[arg-type]


def test_a_key_is_taken_once(store: SqlStore) -> None:
    assert store.add_delivery(delivery())
    assert not store.add_delivery(delivery(payload="another"))

    assert store.deliveries() == [delivery()]


def test_a_claimed_delivery_is_nobody_elses_until_its_lease_ends(store: SqlStore) -> None:
    store.add_delivery(delivery())

    claimed = store.claim_delivery(NOW, LEASE)

    assert claimed == delivery(state="sending", attempts=1)
    assert store.claim_delivery(NOW + LEASE - timedelta(seconds=1), LEASE) is None
    again = store.claim_delivery(NOW + LEASE, LEASE)
    assert again == delivery(state="sending", attempts=2)


def test_a_late_worker_cannot_overwrite_the_one_that_took_over(store: SqlStore) -> None:
    store.add_delivery(delivery())
    late = store.claim_delivery(NOW, LEASE)
    present = store.claim_delivery(NOW + LEASE, LEASE)
    assert late is not None
    assert present is not None

    assert not store.finish_delivery(replace(late, state="given-up"))
    assert store.finish_delivery(replace(present, state="sent"))
    assert not store.finish_delivery(replace(present, state="pending"))

    assert [one.state for one in store.deliveries()] == ["sent"]


def test_a_failed_delivery_waits_for_its_next_try(store: SqlStore) -> None:
    store.add_delivery(delivery())
    claimed = store.claim_delivery(NOW, LEASE)
    assert claimed is not None
    next_try = NOW + timedelta(minutes=2)

    store.finish_delivery(replace(claimed, state="pending", error="refused", next_try_at=next_try))

    assert store.claim_delivery(NOW + timedelta(minutes=1), LEASE) is None
    again = store.claim_delivery(next_try, LEASE)
    assert again is not None
    assert (again.attempts, again.error) == (2, "refused")


def test_the_oldest_that_is_due_comes_first(store: SqlStore) -> None:
    store.add_delivery(delivery("b", created_at=NOW))
    store.add_delivery(delivery("a", created_at=NOW - timedelta(days=1)))
    store.add_delivery(delivery("c", created_at=NOW - timedelta(days=2), state="sent"))

    first, second = store.claim_delivery(NOW, LEASE), store.claim_delivery(NOW, LEASE)

    assert first is not None
    assert second is not None
    assert (first.key, second.key) == ("a", "b")
    assert store.claim_delivery(NOW, LEASE) is None


def test_deliveries_are_listed_newest_first_by_channel(store: SqlStore) -> None:
    store.add_delivery(delivery("old", created_at=NOW - timedelta(days=1)))
    store.add_delivery(delivery("new"))
    store.add_delivery(delivery("mail", channel="email"))

    assert [one.key for one in store.deliveries("slack")] == ["new", "old"]
    assert len(store.deliveries(limit=2)) == 2


def test_workers_at_once_get_each_message_once(store: SqlStore) -> None:
    keys = [f"day-{n}" for n in range(6)]
    added: list[bool] = []
    claimed: list[str] = []

    def work() -> None:
        added.extend([store.add_delivery(delivery(key)) for key in keys])
        while (one := store.claim_delivery(NOW, LEASE)) is not None:
            claimed.append(one.key)

    workers = [Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert sorted(claimed) == keys
    assert sum(added) == len(keys)
