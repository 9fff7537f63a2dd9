"""One message a channel and day: when it goes, back-off, receivers that refuse."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.digest_scenes import NOW, make_item, make_scene, make_status
from tests.pipeline.delivery_post import DAY, Post, refused
from watcher.pipeline.delivery import BACK_OFF
from watcher.pipeline.digest import Fate
from watcher.ports.channel import Leftover


def test_a_digest_is_sent_once_a_day_and_what_was_told_is_not_told_again(post: Post) -> None:
    assert post.fate() is Fate.QUEUED
    assert post.fate() is Fate.KNOWN
    post.clock.time += DAY
    assert post.fate() is Fate.QUIET
    post.scene = make_scene(make_item(), make_item(18))
    assert post.fate() is Fate.KNOWN
    post.clock.time += DAY
    assert post.fate() is Fate.QUEUED

    assert [one["items"] for one in post.told] == [["verl#17"], ["verl#18"]]


def test_a_day_that_is_settled_is_not_looked_at_again(post: Post) -> None:
    for _ in range(3):
        post.morning()
    post.clock.time += DAY
    for _ in range(3):
        post.morning()

    assert post.looks == 2


def test_nothing_is_sent_before_the_time_of_day(post: Post) -> None:
    post.morning()
    post.scene = make_scene(make_item(), make_item(18))
    post.clock.time = datetime(2026, 5, 5, 0, 59, tzinfo=UTC)

    assert post.fate() is Fate.KNOWN
    post.clock.time += timedelta(minutes=1)
    assert post.fate() is Fate.QUEUED


def test_asking_by_hand_sends_today_whatever_the_time(post: Post) -> None:
    post.clock.time = datetime(2026, 5, 3, 22, 0, tzinfo=UTC)

    morning = post.morning(is_asked=True)

    assert (morning.day, morning.fates["slack"]) == (date(2026, 5, 4), Fate.QUEUED)
    assert post.fate(is_asked=True) is Fate.KNOWN


def test_asking_by_hand_looks_again_on_a_quiet_day(post: Post) -> None:
    post.scene = make_scene()
    assert post.fate() is Fate.QUIET
    post.scene = make_scene(make_item())

    assert post.fate() is Fate.KNOWN
    assert post.fate(is_asked=True) is Fate.QUEUED


def test_nothing_is_said_before_the_first_sync(post: Post) -> None:
    post.scene = make_scene(statuses=(make_status(sha=None, synced_at=None, reason="never"),))

    assert post.fate() is Fate.WAITING
    assert post.states() == []


def test_a_refused_message_is_tried_again_later_and_later_then_given_up(post: Post) -> None:
    post.channel.refusals = [refused() for _ in range(20)]

    waits = []
    for _ in range(len(BACK_OFF) + 1):
        (tried,) = post.morning().tried
        if tried.next_try_at is not None:
            waits.append(tried.next_try_at - post.clock.time)
            post.clock.time = tried.next_try_at

    assert tuple(waits) == BACK_OFF
    assert post.states() == [("slack:2026-05-04", "given-up")]
    assert post.channel.sent == []


def test_news_of_a_lost_message_is_told_the_next_day(post: Post) -> None:
    post.channel.refusals = [refused(is_permanent=True)]
    post.morning()
    post.clock.time += DAY

    post.morning()

    assert [one["items"] for one in post.told] == [["verl#17"]]
    assert post.states() == [("slack:2026-05-05", "sent"), ("slack:2026-05-04", "given-up")]


def test_the_content_is_fixed_before_the_first_try(post: Post) -> None:
    post.channel.refusals = [refused()]
    post.morning()
    post.scene = make_scene(make_item(99))
    post.clock.time += BACK_OFF[0]

    post.morning()

    assert [one["items"] for one in post.told] == [["verl#17"]]


def test_the_next_digest_waits_for_one_that_is_under_way(post: Post) -> None:
    post.channel.refusals = [refused(), refused()]
    post.morning()
    post.clock.time += DAY
    post.scene = make_scene(make_item(), make_item(18))

    assert post.fate() is Fate.WAITING
    post.clock.time += timedelta(minutes=6)
    assert post.fate() is Fate.QUEUED

    assert [one["items"] for one in post.told] == [["verl#17"], ["verl#18"]]


@pytest.mark.parametrize(("asked", "waited"), [(1.0, 60.0), (600.0, 600.0), (1e9, 6 * 3600.0)])
def test_the_wait_that_a_receiver_asks_for_is_kept_within_reason(
    post: Post, asked: float, waited: float
) -> None:
    post.channel.refusals = [refused(wait=asked)]

    (tried,) = post.morning().tried

    assert tried.next_try_at == NOW + timedelta(seconds=waited)


def test_those_who_did_not_take_it_get_it_later_and_nobody_twice(post: Post) -> None:
    post.channel.leftovers = (Leftover("for b", "450", False), Leftover("for c", "550", True))
    post.morning()
    post.clock.time += BACK_OFF[0]

    post.morning()

    assert post.channel.sent[1:] == ["for b"]
    assert sorted(post.states()) == [
        ("slack:2026-05-04", "sent"),
        ("slack:2026-05-04+1", "sent"),
        ("slack:2026-05-04+2", "given-up"),
    ]
