"""Every way in which GitHub says "not now" or "not so much" is understood."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from watcher.adapters.github.limits import Advice, Answer, PageSize, Patience, judge
from watcher.errors import RemoteError

NOW = datetime(2026, 5, 1, tzinfo=UTC)
SOON = str(int(NOW.timestamp()) + 90)


class StillClock:
    def now(self) -> datetime:
        return NOW


def answer(status: int, body: object = None, fault: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, body=body, fault=fault)


def errors(kind: str = "", message: str = "", code: str = "") -> dict[str, object]:
    return {
        "data": None,
        "errors": [{"type": kind, "message": message, "extensions": {"code": code}}],
    }


USED_UP = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": SOON}
SECONDARY = {"message": "You have exceeded a secondary rate limit."}


@pytest.mark.parametrize(
    ("given", "advice", "wait"),
    [
        (answer(200, {"data": {}}), Advice.TAKE, None),
        (answer(304), Advice.TAKE, None),
        (answer(200, errors("NOT_FOUND", "Could not resolve to an Issue")), Advice.TAKE, None),
        (answer(200, errors("RATE_LIMITED"), **USED_UP), Advice.WAIT, 91.0),
        (
            answer(200, errors("RATE_LIMIT", code="graphql_rate_limit"), **USED_UP),
            Advice.WAIT,
            91.0,
        ),
        (
            answer(200, errors(message="You have exceeded a secondary rate limit")),
            Advice.WAIT,
            None,
        ),
        (answer(200, errors("RESOURCE_LIMITS_EXCEEDED")), Advice.SMALLER, None),
        (answer(200, errors(message="Something went wrong while executing")), Advice.SMALLER, None),
        (
            answer(200, errors(message="`x` does not appear to be a valid cursor.")),
            Advice.STALE_CURSOR,
            None,
        ),
        (answer(502), Advice.SMALLER, None),
        (answer(504), Advice.SMALLER, None),
        (answer(500), Advice.WAIT, None),
        (answer(503, retry_after="9"), Advice.WAIT, 9.0),
        (answer(0, fault="reset"), Advice.WAIT, None),
        (answer(200, fault="cut short"), Advice.WAIT, None),
        (answer(403, SECONDARY), Advice.WAIT, None),
        (answer(403, SECONDARY, retry_after="30"), Advice.WAIT, 30.0),
        (answer(403, {"message": "no"}, **USED_UP), Advice.WAIT, 91.0),
        (answer(429, retry_after="30"), Advice.WAIT, 30.0),
        (answer(429), Advice.WAIT, None),
        (answer(403, {"message": "Resource protected by SSO"}), Advice.GIVE_UP, None),
        (answer(401, {"message": "Bad credentials"}), Advice.GIVE_UP, None),
        (answer(404), Advice.GONE, None),
        (answer(410), Advice.GONE, None),
        (answer(422), Advice.GIVE_UP, None),
        (answer(429, retry_after="²"), Advice.WAIT, None),
        (answer(200, errors("RATE_LIMITED"), x_ratelimit_reset="9" * 11), Advice.WAIT, None),
    ],
)
def test_each_answer_gets_its_advice(given: Answer, advice: Advice, wait: float | None):
    verdict = judge(given, NOW)

    assert verdict.advice is advice
    if wait is not None:
        assert verdict.wait_seconds == wait


def patience(slept: list[float], longest: float = 300.0) -> Patience:
    return Patience(StillClock(), slept.append, longest_wait_seconds=longest)


def test_waits_grow_and_end():
    slept: list[float] = []
    waiting = patience(slept)
    verdict = judge(answer(500), NOW)

    for attempt in range(4):
        waiting.wait(verdict, attempt, "here")

    with pytest.raises(RemoteError, match="the next sync goes on from there"):
        waiting.wait(verdict, 4, "here")
    assert slept == [1, 2, 4, 8]
    assert waiting.waited_seconds == 15


def test_without_retry_after_a_secondary_limit_waits_a_minute_first():
    slept: list[float] = []

    patience(slept).wait(judge(answer(429), NOW), 0, "here")

    assert slept == [60]


def test_a_wait_too_long_says_when_to_come_back():
    verdict = judge(answer(200, errors("RATE_LIMITED", "limit"), **USED_UP), NOW)

    with pytest.raises(RemoteError, match="go on with the next sync in 2 minutes"):
        patience([], longest=60.0).wait(verdict, 0, "here")


def test_what_was_asked_for_is_halved_not_what_could_have_been():
    batch = PageSize(50)

    assert batch.shrink(6)
    assert batch.size == 3
    assert not batch.shrink(1)


def test_pages_halve_down_to_one_and_grow_back_when_all_is_calm():
    page = PageSize(8)

    assert [page.shrink(page.size) for _ in range(4)] == [True, True, True, False]
    assert page.size == 1
    for _ in range(8):
        page.went_well()
    assert page.size == 2
