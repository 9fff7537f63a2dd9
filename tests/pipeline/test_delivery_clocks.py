"""The day that is due: zones, clocks that jump, workers that die."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest

from tests.digest_scenes import NOW, make_item, make_scene
from tests.pipeline.delivery_post import Post, refused
from watcher.pipeline.delivery import BACK_OFF, LEASE, due_day, open_envelope
from watcher.pipeline.digest import Fate


@pytest.mark.parametrize(
    ("zone", "at", "moment", "day"),
    [
        ("Asia/Shanghai", time(9), "2026-05-04T00:59:59", "2026-05-03"),
        ("Asia/Shanghai", time(9), "2026-05-04T01:00:00", "2026-05-04"),
        # 02:30 does not exist on this day: it comes at 03:30 summer time
        ("Europe/Berlin", time(2, 30), "2026-03-29T01:29:59", "2026-03-28"),
        ("Europe/Berlin", time(2, 30), "2026-03-29T01:30:00", "2026-03-29"),
        # 02:30 comes twice on this day: the first time counts
        ("Europe/Berlin", time(2, 30), "2026-10-25T00:29:59", "2026-10-24"),
        ("Europe/Berlin", time(2, 30), "2026-10-25T00:30:00", "2026-10-25"),
        ("Europe/Berlin", time(2, 30), "2026-10-25T01:30:00", "2026-10-25"),
        ("America/Los_Angeles", time(0), "2026-03-08T08:00:00", "2026-03-08"),
        ("Pacific/Apia", time(23, 59), "2026-05-04T10:59:00", "2026-05-04"),
    ],
)
def test_the_day_that_is_due_follows_the_users_clock(
    zone: str, at: time, moment: str, day: str
) -> None:
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)

    assert due_day(now, at, zone).isoformat() == day


@pytest.mark.parametrize("at", [time(2, 30), time(3), time(0)])
def test_every_day_of_a_year_with_clock_changes_has_one_digest(at: time) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    moments = (start + timedelta(minutes=30 * step) for step in range(365 * 48))

    days = list(dict.fromkeys(due_day(one, at, "Europe/Berlin") for one in moments))

    assert days == [days[0] + timedelta(days=place) for place in range(len(days))]
    assert len(days) in {365, 366}


def test_a_clock_that_jumps_to_and_fro_sends_each_day_once(post: Post) -> None:
    post.morning()
    for jump in (timedelta(days=400), timedelta(0), timedelta(days=-30), timedelta(days=1)):
        post.clock.time = NOW + jump
        post.scene = make_scene(*(make_item(one) for one in range(17, 18 + len(post.told))))
        post.morning()
        post.morning()

    keys = [one["key"] for one in post.told]
    assert len(keys) == len(set(keys)) == 4


def test_a_try_from_a_future_that_was_taken_back_strands_no_channel(post: Post) -> None:
    post.clock.time = NOW + timedelta(days=400)
    post.channel.refusals = [refused()]
    post.morning()
    post.clock.time = NOW

    assert post.fate() is Fate.QUEUED


def test_a_worker_that_died_is_relieved_after_its_lease(post: Post) -> None:
    post.channel.refusals = [refused()]
    post.morning()
    post.clock.time += BACK_OFF[0]
    claimed = post.store.claim_delivery(post.clock.time, LEASE)
    assert claimed is not None

    post.clock.time += LEASE - timedelta(seconds=1)
    assert post.morning().tried == ()
    post.clock.time += timedelta(seconds=1)
    assert [one.state for one in post.morning().tried] == ["sent"]


def test_a_message_that_kills_its_workers_is_given_up_at_last(post: Post) -> None:
    post.channel.refusals = [refused()]
    post.morning()
    post.clock.time += BACK_OFF[0]
    for _ in range(2 * len(BACK_OFF) + 1):
        assert post.store.claim_delivery(post.clock.time, LEASE) is not None
        post.clock.time += LEASE

    (tried,) = post.morning().tried

    assert (tried.state, post.channel.sent) == ("given-up", [])


def test_an_envelope_that_cannot_be_read_is_none() -> None:
    assert open_envelope("{}") is None
    assert open_envelope("not json") is None
