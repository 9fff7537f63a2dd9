"""What the shares of a record support."""

from __future__ import annotations

import pytest

from watcher.facts.presence import Presence
from watcher.presence.landed import LandedLine
from watcher.presence.model import Features, Ground, decide, features_at
from watcher.presence.record import CODE, Record, decode, encode
from watcher.presence.verdict import judge_by_lines


def features(**changed: float | bool) -> Features:
    usual = {"there": 1.0, "same": 1.0, "has_fix": 0.0, "body": 1.0, "is_addition": False}
    return Features(**{**usual, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "presence", "ground"),
    [
        (features(), Presence.PRESENT, Ground.LINES),
        (features(is_addition=True), Presence.PRESENT, Ground.LINES),
        (features(there=0.29, same=0.0), Presence.ABSENT, Ground.LINES),
        (features(there=0.33, same=0.0), Presence.PARTLY, Ground.LINES),
        (features(there=0.4, same=0.4), Presence.PARTLY, Ground.LINES),
        (features(same=0.0, body=0.4), Presence.PARTLY, Ground.LINES),
        (features(there=0.6, same=0.0, has_fix=1.0), Presence.ABSENT, Ground.MENDED),
        (features(same=0.0, has_fix=0.6, undoes=True), Presence.ABSENT, Ground.MENDED),
        (features(is_addition=True, has_fix=1.0), Presence.ABSENT, Ground.MENDED),
        (features(has_fix=1.0), Presence.PRESENT, Ground.LINES),
        (features(newer_names=0.3, lately_newer_names=0.3), Presence.ABSENT, Ground.NAMES),
        (features(newer_names=0.2, lately_newer_names=0.2), Presence.PARTLY, Ground.NAMES),
        (features(newer_names=0.3), Presence.PARTLY, Ground.NAMES),
    ],
)
def test_a_decision_says_what_it_rests_on(
    given: Features, presence: Presence, ground: Ground
) -> None:
    assert decide(given) == (presence, ground)


RECORD = Record(
    scope=CODE,
    removed=(((40, 401), 2.0), ((1_200,), 1.0)),
    added_weight=3.0,
    body_births=(10, 300),
    position=1_000,
    names=((500, "cache_dir"),),
    names_count=1,
)


def test_a_record_gives_its_shares_at_any_position() -> None:
    at_50 = features_at(RECORD, 50)

    assert (at_50.there, at_50.same) == (pytest.approx(2 / 3), 0.0)
    assert features_at(RECORD, 100).same == pytest.approx(2 / 3)
    assert (features_at(RECORD, 300).there, features_at(RECORD, 300).body) == (1.0, 1.0)


def test_a_record_is_the_same_after_reading_it_back() -> None:
    assert decode(encode(RECORD)) == RECORD


def test_a_name_that_came_long_before_the_fix_makes_it_partly_at_most() -> None:
    verdict = judge_by_lines(RECORD, 400, LandedLine([]))

    assert verdict.presence is Presence.PARTLY
    assert verdict.detail == (
        "that code is at your pin, but its new lines use cache_dir, which came after it"
    )
