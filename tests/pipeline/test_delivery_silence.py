"""What a channel was told: threads of mails, days without news, losses."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from tests.digest_scenes import NOW, make_item, make_scene, make_status
from tests.pipeline.delivery_post import DAY, Post, refused
from watcher.facts.presence import Presence
from watcher.pipeline.delivery import lost_deliveries, unmended_losses
from watcher.pipeline.digest import Fate
from watcher.settings.records import AllQuiet


def test_mails_of_a_channel_are_one_thread(post: Post) -> None:
    for number in (17, 18, 19):
        post.scene = make_scene(*(make_item(one) for one in range(17, number + 1)))
        post.morning()
        post.clock.time += DAY

    first, second = "<slack:2026-05-04>", "<slack:2026-05-05>"
    assert [(one["parent"], one["root"]) for one in post.told] == [
        (None, None),
        (first, first),
        (second, first),
    ]


def test_a_long_silence_forgets_nothing(post: Post) -> None:
    post.morning()
    for _ in range(40):
        post.clock.time += DAY
        assert post.fate() is Fate.QUIET
    post.channel.refusals = [refused(is_permanent=True) for _ in range(35)]
    for number in range(18, 53):
        post.clock.time += DAY
        post.scene = make_scene(make_item(), make_item(number))
        post.morning()
    post.clock.time += DAY
    post.scene = make_scene(make_item())

    assert post.fate() is Fate.QUIET


def test_what_changed_in_silence_is_remembered(post: Post) -> None:
    post.morning()
    carried = make_item(presence=Presence.CONTAINED)
    post.scene = make_scene(carried, patched={"verl#17": "17.patch"})
    post.clock.time += DAY
    assert post.fate() is Fate.QUIET
    post.scene = make_scene(statuses=(make_status(sha="b" * 40),))
    post.clock.time += DAY

    assert post.fate() is Fate.QUEUED

    assert post.told[-1]["notices"] == 2  # the pin moved, the patch may go


def test_the_first_message_after_silence_is_the_first(post: Post) -> None:
    post.scene = make_scene()
    post.morning()
    post.clock.time += DAY
    post.scene = make_scene(make_item())

    post.morning()

    assert [one["is_first"] for one in post.told] == [True]


def test_a_week_of_silence_is_broken_when_wanted(post: Post) -> None:
    post.settings = replace(post.settings, all_quiet=AllQuiet.WEEKLY)
    fates = []
    for _ in range(9):
        fates.append(post.fate())
        post.clock.time += DAY

    assert [place for place, fate in enumerate(fates) if fate is Fate.QUEUED] == [0, 7]


def test_a_loss_counts_until_something_arrives_and_is_told_for_two_weeks(post: Post) -> None:
    post.channel.refusals = [refused(is_permanent=True)]
    post.morning()

    def losses() -> tuple[int, int]:
        now = post.clock.time
        return len(lost_deliveries(post.store, now)), len(unmended_losses(post.store, now))

    assert losses() == (1, 1)
    post.clock.time += DAY
    post.morning()
    assert losses() == (1, 0)
    post.clock.time += 14 * DAY
    assert losses() == (0, 0)


def test_a_message_of_a_channel_that_is_gone_is_given_up(post: Post) -> None:
    post.channel.refusals = [refused()]
    post.morning()
    post.channel.name = "feishu"
    post.clock.time += timedelta(hours=1)

    post.morning()

    gone = post.store.deliveries("slack")
    assert [(one.state, one.error) for one in gone] == [
        ("given-up", "the channel is no longer there")
    ]


def test_what_was_told_is_marked_as_seen(post: Post) -> None:
    post.store.save_findings("verl", "f", [("verl#17", {}), ("verl#18", {})], NOW)

    post.morning()

    seen = {name: one.is_seen for name, one in post.store.sightings("verl").items()}
    assert seen == {"verl#17": True, "verl#18": False}
