"""Selecting from a board, keeping it fresh, drawing it."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.large import START, large_board
from watcher.errors import StoreError
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.pipeline.board import Board
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.selection import Selection, Sort, select, sift
from watcher.web.chart import HEIGHT, missing_chart
from watcher.web.fresh import MAX_AGE, FreshBoard, PerBoard
from watcher.web.listing import lifted
from watcher.web.query import parse_list_query
from watcher.web.visit import SAME_VISIT, read_visit

BOARD = large_board(300, pins=3)
FILTERS = st.builds(
    ListFilter,
    tiers=st.frozensets(st.sampled_from(Tier)),
    kinds=st.frozensets(st.sampled_from(Kind)),
    presences=st.frozensets(st.sampled_from(Presence)),
    everything=st.booleans(),
)


@given(FILTERS, st.frozensets(st.sampled_from(["pin0", "pin1"])), st.sampled_from(["", "deadlock"]))
@settings(max_examples=60, deadline=None)
def test_judging_groups_gives_what_judging_each_row_gives(
    which: ListFilter, pins: frozenset[str], word: str
) -> None:
    wanted = Selection(which=which, pins=pins, words=tuple(word.split()))

    shown, collapsed = sift(BOARD, wanted)

    rows = [r for r in BOARD.rows if (not pins or r.item.pin in pins) and word in r.text]
    assert shown == [row for row in rows if wanted.why_not(row) is None]
    assert collapsed == Counter(r for row in rows if (r := wanted.why_not(row)) is not None)


@pytest.mark.parametrize("given", [[], [("pin", "pin1")], [("q", "deadlock")], [("kind", "fix")]])
def test_what_is_not_shown_is_one_link_away(given: list[tuple[str, str]]) -> None:
    names = ["pin0", "pin1", "pin2"]
    query = parse_list_query(given, names)
    _, collapsed = sift(BOARD, query.selection)

    assert collapsed
    for reason, number in collapsed.items():
        address = lifted(query, reason)
        linked = parse_list_query(parse_qsl(address.partition("?")[2]), names)
        shown, _ = sift(BOARD, linked.selection)
        assert len(shown) == number or reason.startswith("of other")


def test_pages_partition_a_list() -> None:
    everything = Selection(which=ListFilter(everything=True), sort=Sort.NEWEST)
    pages = [select(BOARD, everything, page=number, size=50) for number in range(1, 7)]

    rows = [row for page in pages for row in page.rows]

    assert [row.item.id for row in rows] == [
        row.item.id for row in select(BOARD, everything, size=1_000).rows
    ]
    assert {page.pages for page in pages} == {6}
    assert select(BOARD, everything, page=99, size=50).page == 6


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=30)), max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_query_can_be_read_and_written_back(pairs: list[tuple[str, str]]) -> None:
    query = parse_list_query(pairs, ["verl"])

    assert parse_list_query(query.pairs, ["verl"]) == query


def test_the_chart_rises_to_the_top_and_counts_by_month() -> None:
    rows = [row for row in BOARD.rows if row.item.pin == "pin0"]

    chart = missing_chart(rows, START, START + timedelta(days=30))

    assert chart is not None
    missing, likely = chart.series
    assert missing.total == sum(fixes for _, fixes, _ in chart.months)
    assert likely.total == sum(count for _, _, count in chart.months)
    assert f"V{2:.2f}" in missing.line
    assert missing.area.endswith(f"V{HEIGHT:g}Z")
    assert missing_chart([], START, START) is None
    assert missing_chart(rows, None, None) is None


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 6, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


def test_a_board_is_kept_until_it_is_old_or_a_decision_is_made() -> None:
    clock, made = Clock(), list[Board | None]()

    def compose(before: Board | None) -> Board:
        made.append(before)
        return replace(BOARD, made_at=clock.now())

    boards = FreshBoard(compose, clock.now)
    first = boards.get()
    assert boards.get() is first
    boards.expire()
    second = boards.get()
    assert second is not first
    clock.moment += MAX_AGE + timedelta(seconds=1)
    assert boards.get() is not second
    assert made[:2] == [None, first]
    assert len(made) == 3
    boards.close()


def test_many_readers_wait_for_one_board() -> None:
    made: list[Board] = []
    gate = threading.Event()

    def compose(_: Board | None) -> Board:
        gate.wait(10)
        made.append(replace(BOARD, made_at=datetime.now(UTC)))
        return made[-1]

    boards = FreshBoard(compose, lambda: datetime.now(UTC))
    got: list[Board] = []
    readers = [threading.Thread(target=lambda: got.append(boards.get())) for _ in range(8)]
    for reader in readers:
        reader.start()
    gate.set()
    for reader in readers:
        reader.join()

    assert len(made) == 1
    assert got == made * 8
    boards.close()


def test_a_failure_is_told_and_tried_again() -> None:
    answers: list[Board | StoreError] = [
        StoreError("locked"),
        replace(BOARD, made_at=Clock().now()),
    ]

    def compose(_: Board | None) -> Board:
        answer = answers.pop(0)
        if isinstance(answer, StoreError):
            raise answer
        return answer

    boards = FreshBoard(compose, Clock().now)
    with pytest.raises(StoreError):
        boards.get()

    assert boards.get().rows == BOARD.rows
    boards.close()


def test_something_is_made_once_a_board() -> None:
    made: list[Board] = []
    counts = PerBoard(lambda board: made.append(board) or len(board.rows))

    assert [counts.of(BOARD), counts.of(BOARD)] == [300, 300]
    counts.of(replace(BOARD, fingerprint="1" * 32))
    assert len(made) == 2


def test_a_visit_ends_after_a_while_without_a_look() -> None:
    now = datetime(2026, 6, 1, 12, tzinfo=UTC)

    first = read_visit("", now)
    still = read_visit(first.cookie, now + timedelta(minutes=5))
    later = read_visit(still.cookie, now + timedelta(minutes=5) + SAME_VISIT + timedelta(minutes=1))

    assert (first.before, still.before) == (None, None)
    assert later.before == now + timedelta(minutes=5)


@pytest.mark.parametrize(
    "cookie", ["x", "..", "1e9.x", "99999999999.99999999999", "9" * 500, "-1.-2"]
)
def test_a_broken_visit_is_a_first_one(cookie: str) -> None:
    assert read_visit(cookie, datetime(2026, 6, 1, tzinfo=UTC)).before is None
