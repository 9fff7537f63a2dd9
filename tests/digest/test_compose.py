"""What is news for a channel, and what it remembers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.digest_scenes import ADDRESS, NOW, make_item, make_scene, make_status
from tests.properties import robust
from watcher.digest.compose import compose, remember
from watcher.digest.record import Decided, Digest, News, NoticeKind, Scene
from watcher.digest.told import Told, parse_told, told_json
from watcher.facts.item import Item, Route, RouteKind, Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.words import PRESENCE_WORDS as WORDS

IGNORED = Decided(is_ignored=True, phrase="ignored: not ours")


def told_of(*items: Item, **fields: object) -> Told:
    return remember(make_scene(*items, **fields), None)


def only_entry(digest: Digest | None) -> tuple[str, News, tuple[str, ...]]:
    assert digest is not None
    (entry,) = digest.entries
    return entry.item.id, entry.news, entry.said


def notices(scene: Scene, told: Told | None) -> dict[NoticeKind, str]:
    digest = compose(scene, told)
    return {} if digest is None else {one.kind: one.text for one in digest.notices}


def test_a_first_digest_tells_what_may_bite_likeliest_first_and_says_that_it_is_the_first() -> None:
    items = [
        make_item(1),
        make_item(2),
        make_item(3, tier=Tier.POSSIBLE),
        make_item(4, presence=Presence.ABSENT),
        make_item(5, kind=Kind.FEATURE),
    ]

    digest = compose(make_scene(*items), None)

    assert digest is not None
    assert [entry.item.number for entry in digest.entries] == [1, 2]
    assert digest.is_first
    assert digest.entries[0].why == "touches a file you rely on"
    assert digest.entries[0].route == "picks cleanly onto your pin"
    assert digest.entries[0].link == f"{ADDRESS}/item/verl%231"


def test_what_was_told_is_not_told_again() -> None:
    item = make_item()

    assert compose(make_scene(item), told_of(item)) is None
    assert compose(make_scene(), None) is None


def test_memory_survives_its_document() -> None:
    told = told_of(make_item(), make_item(2, tier=Tier.POSSIBLE), make_item(3, first_release="v2"))

    assert parse_told(told_json(told)) == told
    assert parse_told({"items": 3}) is None
    assert parse_told(None) is None


@pytest.mark.parametrize(
    ("fields", "news", "said"),
    [
        ({"tier": Tier.POSSIBLE}, News.CHANGED, "was likely, now possible"),
        (
            {"presence": Presence.PARTLY},
            News.CHANGED,
            f"now: {WORDS[Presence.PARTLY]}; before: {WORDS[Presence.PRESENT]}",
        ),
        (
            {"presence": Presence.ABSENT},
            News.CHANGED,
            f"now: {WORDS[Presence.ABSENT]}; before: {WORDS[Presence.PRESENT]}",
        ),
        ({"first_release": "v1.1"}, News.RELEASED, "in v1.1"),
        (
            {"routes": (Route(kind=RouteKind.BACKPORT, detail="take it"),)},
            News.BACKPORTED,
            "brought to your pin's release branch",
        ),
        (
            {"presence": Presence.WITHDRAWN, "withdrawn_by": "verl#99"},
            News.WITHDRAWN,
            "taken back by verl#99",
        ),
    ],
)
def test_a_change_of_what_was_told_is_news(
    fields: dict[str, object], news: News, said: str
) -> None:
    item = make_item()

    digest = compose(make_scene(replace(item, **fields)), told_of(item))  # type: ignore[arg-type]

    assert only_entry(digest) == ("verl#17", news, (said,))


def test_an_item_that_becomes_likely_is_new_and_says_what_it_was() -> None:
    before = make_item(tier=Tier.POSSIBLE)

    digest = compose(make_scene(make_item()), told_of(before))

    assert only_entry(digest) == ("verl#17", News.NEW, ("was possible, now likely",))


def test_what_was_never_told_changes_in_silence() -> None:
    before = make_item(tier=Tier.POSSIBLE)
    after = replace(before, first_release="v1.1", presence=Presence.WITHDRAWN)

    assert compose(make_scene(after), told_of(before)) is None


def test_an_ignored_item_is_silent_and_comes_back_with_the_reason() -> None:
    item = make_item()
    told = told_of(item, decided={"verl#17": IGNORED})
    ended = Decided(is_ignored=False, phrase="ignored", ended="v1.1 holds it")

    assert compose(make_scene(item, decided={"verl#17": IGNORED}), told) is None
    digest = compose(make_scene(item, decided={"verl#17": ended}), told)
    assert only_entry(digest) == ("verl#17", News.BACK, ("was ignored: v1.1 holds it",))


def test_a_family_is_one_entry_under_its_likeliest() -> None:
    family = ("verl#1", "verl#2")
    items = [make_item(1, family=family), make_item(3), make_item(2, family=family)]

    digest = compose(make_scene(*items), None)

    assert digest is not None
    assert [(one.item.number, one.members) for one in digest.entries] == [(1, ("verl#2",)), (3, ())]


def test_a_release_with_many_known_fixes_is_one_line() -> None:
    items = [make_item(number) for number in range(1, 6)]
    released = [replace(item, first_release="v1.1") for item in items[:4]]
    single = replace(items[4], first_release="v1.0.1")

    digest = compose(make_scene(*released, single), told_of(*items))

    assert only_entry(digest) == ("verl#5", News.RELEASED, ("in v1.0.1",))
    assert digest is not None
    (line,) = [one.text for one in digest.notices]
    assert line == (
        "v1.1 holds 4 fixes that you were told of: verl#1, verl#2, verl#3, verl#4;"
        " see `watcher upgrade verl`"
    )


def test_entries_beyond_the_limit_are_counted_and_not_told_again() -> None:
    items = [make_item(number) for number in range(1, 8)]
    scene = make_scene(*items, limit=3)

    digest = compose(scene, None)

    assert digest is not None
    assert (len(digest.entries), digest.more) == (3, 4)
    assert compose(scene, remember(scene, None)) is None


def test_a_pin_that_moved_is_told_with_what_it_now_holds() -> None:
    told = told_of(make_item(1), make_item(2))
    moved = make_scene(make_item(2), statuses=(make_status(ref="v1.1", sha="b" * 40),))

    said = notices(moved, told)

    assert said[NoticeKind.PIN_MOVED] == (
        "verl moved from v1.0 (aaaaaaaaa) to v1.1 (bbbbbbbbb);"
        " it now holds 1 fix that you were told of: verl#1"
    )
    assert compose(moved, remember(moved, told)) is None


def test_a_workaround_may_go_once_the_pin_itself_holds_the_fix() -> None:
    acknowledged = Decided(is_ignored=False, phrase="acknowledged: offload is off")
    carried = make_item(2, presence=Presence.CONTAINED)
    told = told_of(make_item(1), carried, patched={"verl#2": "patches/2.patch"})
    moved = make_scene(statuses=(make_status(sha="b" * 40),), decided={"verl#1": acknowledged})

    digest = compose(moved, told)

    assert digest is not None
    assert [one.text for one in digest.notices if one.kind is NoticeKind.WORKAROUND] == [
        "the pin now holds verl#1: a workaround may go (acknowledged: offload is off)",
        "patches/2.patch may go: the pin now holds verl#2",
    ]


def test_items_of_a_pin_that_does_not_resolve_today_are_not_forgotten() -> None:
    item = make_item()
    lost = make_scene(statuses=(make_status(sha=None, reason="no such tag"),))

    said = notices(lost, told_of(item))
    told = remember(lost, told_of(item))

    assert said == {NoticeKind.UNRESOLVED: "verl at v1.0: no such tag"}
    assert compose(lost, told) is None
    assert compose(make_scene(item), told) is None


def test_a_stalled_sync_is_said_once_and_so_is_its_end() -> None:
    stale = make_scene(
        statuses=(make_status(stale=True, synced_at=NOW - timedelta(days=4)),),
    )

    said = notices(stale, told_of())
    told = remember(stale, told_of())

    assert "verl was last synced 4 days ago" in said[NoticeKind.STALLED]
    assert compose(stale, told) is None
    assert notices(make_scene(), told) == {NoticeKind.RESUMED: "verl is synced again"}


def test_a_lost_message_is_said_in_the_next_one() -> None:
    scene = make_scene(given_up={"slack:2026-05-03": "HTTP 404"})

    assert notices(scene, told_of()) == {
        NoticeKind.GIVEN_UP: "not delivered: slack:2026-05-03: HTTP 404"
    }
    assert compose(scene, remember(scene, told_of())) is None


@given(
    st.lists(
        st.builds(
            make_item,
            st.integers(1, 30),
            tier=st.sampled_from([*Tier, None]),
            presence=st.sampled_from(Presence),
            kind=st.sampled_from(Kind),
            first_release=st.sampled_from([None, "v1.1"]),
            family=st.sampled_from([(), ("verl#1", "verl#2")]),
        ),
        unique_by=lambda item: item.id,
        max_size=8,
    ),
    st.sampled_from(Tier),
    st.sets(st.integers(1, 30)),
)
@robust
def test_what_was_just_told_is_never_news(items: list[Item], tier: Tier, aside: set[int]) -> None:
    decided = {f"verl#{number}": IGNORED for number in aside}
    scene = make_scene(*items, tier=tier, decided=decided)

    told = parse_told(told_json(remember(scene, None)))

    assert told is not None
    assert compose(scene, told) is None
    assert remember(scene, told) == told


def test_many_lost_messages_are_counted() -> None:
    lost = {f"slack:2026-05-0{day}": "HTTP 404" for day in range(1, 6)}

    digest = compose(make_scene(given_up=lost), told_of())

    assert digest is not None
    assert len(digest.notices) == 4
    assert digest.notices[-1].text == "not delivered: 2 further messages, see `watcher doctor`"


def test_a_pin_that_was_never_synced_is_said() -> None:
    scene = make_scene(
        statuses=(make_status(sha=None, reason="never", synced_at=None, stale=True),)
    )

    assert notices(scene, None) == {
        NoticeKind.STALLED: "verl was never synced: see `watcher doctor`"
    }


def test_what_the_user_carries_by_a_patch_is_not_said_to_be_held_by_the_pin() -> None:
    told = told_of(make_item(1), make_item(2))
    carried = make_item(1, presence=Presence.CONTAINED)
    moved = make_scene(
        carried,
        make_item(2),
        statuses=(make_status(sha="b" * 40),),
        patched={"verl#1": "1.patch"},
    )

    assert "holds" not in notices(moved, told)[NoticeKind.PIN_MOVED]


def test_a_report_that_is_settled_is_not_said_to_be_held_by_a_pin_that_moved() -> None:
    report = make_item(5, kind=Kind.ISSUE, presence=Presence.UNKNOWN, title="it hangs")
    first = compose(make_scene(report), None)
    moved = make_scene(statuses=(make_status(sha="b" * 40),))

    assert only_entry(first) == ("verl#5", News.NEW, ())
    assert "holds" not in notices(moved, told_of(report))[NoticeKind.PIN_MOVED]
