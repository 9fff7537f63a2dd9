"""One message a channel and day: back-off, rests, clocks that jump, workers that die."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.digest_scenes import NOW, make_item, make_scene, make_status
from watcher.digest.record import Digest, Scene
from watcher.errors import DeliveryError
from watcher.facts import Presence
from watcher.pipeline.delivery import (
    BACK_OFF,
    LEASE,
    due_day,
    lost_deliveries,
    open_envelope,
    unmended_losses,
)
from watcher.pipeline.digest import Fate, LazyScene
from watcher.pipeline.morning import Morning, MorningRound
from watcher.ports import Leftover, MessageThread, Outlet, RenderedMessage
from watcher.settings.records import AllQuiet, DigestSettings
from watcher.store.migrate import open_store
from watcher.store.repository import SqlStore

MIGRATIONS = Path(__file__).parents[2] / "migrations"
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("store") / "empty.db"
    open_store(f"sqlite:///{file}", MIGRATIONS).close()
    return file


@dataclass
class FakeChannel:
    """Keeps what was sent; says no as told."""

    name: str = "slack"
    sent: list[str] = field(default_factory=list)
    refusals: list[DeliveryError] = field(default_factory=list)
    leftovers: tuple[Leftover, ...] = ()

    def send(self, payload: str) -> tuple[Leftover, ...]:
        if self.refusals:
            raise self.refusals.pop(0)
        self.sent.append(payload)
        left, self.leftovers = self.leftovers, ()
        return left


@dataclass
class SetClock:
    """Shows what it is set to."""

    time: datetime = NOW

    def now(self) -> datetime:
        return self.time


@dataclass
class Post:
    """One project's morning: a store, a clock, a channel, a situation."""

    store: SqlStore
    clock: SetClock = field(default_factory=SetClock)
    channel: FakeChannel = field(default_factory=FakeChannel)
    settings: DigestSettings = field(
        default_factory=lambda: DigestSettings(at=time(9), timezone="Asia/Shanghai")
    )
    scene: Scene = field(default_factory=lambda: make_scene(make_item()))
    looks: int = 0

    def morning(self, *, is_asked: bool = False) -> Morning:
        outlet = Outlet(name=self.channel.name, label="", channel=self.channel, render=self.render)
        work = MorningRound(
            store=self.store, clock=self.clock, settings=self.settings, outlets=[outlet]
        )
        return work.run(LazyScene(self.look), is_asked=is_asked)

    def fate(self, *, is_asked: bool = False) -> Fate:
        return self.morning(is_asked=is_asked).fates[self.channel.name]

    def look(self) -> Scene:
        self.looks += 1
        return replace(self.scene, now=self.clock.time)

    def render(self, digest: Digest, thread: MessageThread) -> RenderedMessage:
        told = {"key": thread.key, "parent": thread.parent, "root": thread.root}
        told |= {"is_first": digest.is_first}
        names = [entry.item.id for entry in digest.entries]
        message = json.dumps(told | {"items": names, "notices": len(digest.notices)})
        return RenderedMessage(message=message, message_id=f"<{thread.key}>")

    @property
    def told(self) -> list[dict[str, object]]:
        return [json.loads(one) for one in self.channel.sent]

    def states(self) -> list[tuple[str, str]]:
        return [(one.key, one.state) for one in self.store.deliveries(self.channel.name)]


@pytest.fixture
def post(tmp_path: Path, empty_file: Path) -> Iterator[Post]:
    shutil.copy(empty_file, tmp_path / "watcher.db")
    store = open_store(f"sqlite:///{tmp_path}/watcher.db", MIGRATIONS)
    yield Post(store)
    store.close()


def refused(*, is_permanent: bool = False, wait: float | None = None) -> DeliveryError:
    return DeliveryError(
        "HTTP 500", where="slack", is_permanent=is_permanent, retry_after_seconds=wait
    )


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


# --- clocks and workers ---


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
