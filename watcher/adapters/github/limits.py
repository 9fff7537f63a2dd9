"""One answer of GitHub -> what to do about it: take it, wait, ask for less, or give up.

No I/O: ``judge`` looks at a status, headers and a parsed body; ``Patience`` holds what was waited
for and asks the injected ``sleep``. GitHub tells of its limits in many ways (HTTP 200 with errors,
403, 429, 502, 504), listed at
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api and
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from watcher.errors import RemoteError
from watcher.history.json_values import line, node, nodes
from watcher.ports.clock import Clock

_PRIMARY: Final = frozenset({"RATE_LIMITED", "RATE_LIMIT", "GRAPHQL_RATE_LIMIT"})
_TOO_LARGE: Final = frozenset(
    {"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED", "TIMEOUT", "LOADING"}
)
_ABUSE_WORDS: Final = ("secondary rate limit", "abuse", "temporarily blocked")
_SLOW_WORDS: Final = ("timeout", "timed out", "couldn't respond", "something went wrong")
_SECONDARY_SECONDS: Final = 60.0
_FAULT_SECONDS: Final = 1.0
_MAX_TRIES: Final = 5
_MARGIN_SECONDS: Final = 1.0


class Advice(StrEnum):
    """What an answer asks of us."""

    TAKE = "take"
    WAIT = "wait"
    """Ask the same again after a while."""
    SMALLER = "smaller"
    """Too much was asked for at once."""
    STALE_CURSOR = "stale-cursor"
    """The page cursor is no longer known."""
    GONE = "gone"
    """There is no such thing (any more)."""
    GIVE_UP = "give-up"


class Answer(Struct, frozen=True, kw_only=True):
    """One HTTP answer. ``status`` 0 stands for a connection that broke."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    body: object = None
    """The parsed JSON, None when there is none or it was cut short."""
    fault: str = ""
    """What broke, for ``status`` 0 and for bodies that cannot be read."""


class Judgement(Struct, frozen=True, kw_only=True):
    """What to do about an answer, and why."""

    advice: Advice
    reason: str = ""
    wait_seconds: float | None = None
    """What GitHub asks to wait; None when it does not say."""
    base_seconds: float = _FAULT_SECONDS
    """First wait when GitHub does not say; doubled at each further try."""
    mend: str = ""


_TAKEN: Final = Judgement(advice=Advice.TAKE)


def judge(answer: Answer, now: datetime) -> Judgement:
    """What an answer asks for."""
    if answer.status in {200, 304} and not answer.fault:
        return _judge_errors(answer, now)
    if answer.status in {403, 429}:
        return _judge_refusal(answer, now)
    if answer.status in {502, 504}:
        return Judgement(advice=Advice.SMALLER, reason=f"GitHub answered {answer.status}")
    if answer.status == 0 or answer.status >= 500 or answer.fault:
        told = answer.fault or f"GitHub answered {answer.status}"
        wait = _retry_after(answer)
        return Judgement(advice=Advice.WAIT, reason=told, wait_seconds=wait)
    return _judge_client_error(answer)


def _judge_errors(answer: Answer, now: datetime) -> Judgement:
    """GraphQL tells limits by status 200 and an ``errors`` list; NOT_FOUND leaves partial data."""
    for error in nodes(answer.body, "errors"):
        kinds = {
            line(error.get("type"), 60).upper(),
            line(error.get("code"), 60).upper(),
            line(node(error, "extensions").get("code"), 60).upper(),
        }
        message = line(error.get("message"), 300)
        low = message.lower()
        if kinds & _PRIMARY or "api rate limit" in low:
            return _wait_for_reset(answer, now, message)
        if any(word in low for word in _ABUSE_WORDS):
            return _secondary(answer, message)
        if kinds & _TOO_LARGE or any(word in low for word in _SLOW_WORDS):
            return Judgement(advice=Advice.SMALLER, reason=message or "too much at once")
        if "cursor" in low and "valid" in low:
            return Judgement(advice=Advice.STALE_CURSOR, reason=message)
    return _TAKEN


def _judge_refusal(answer: Answer, now: datetime) -> Judgement:
    message = line(node(answer.body).get("message"), 300)
    wait = _retry_after(answer)
    if wait is not None:
        return Judgement(advice=Advice.WAIT, reason=message or "rate limit", wait_seconds=wait)
    if answer.headers.get("x-ratelimit-remaining") == "0":
        return _wait_for_reset(answer, now, message)
    if answer.status == 429 or any(word in message.lower() for word in _ABUSE_WORDS):
        return _secondary(answer, message)
    if "rate limit" in message.lower():
        return _wait_for_reset(answer, now, message)
    mend = "the token may lack access to this repository, or needs single sign-on"
    return Judgement(advice=Advice.GIVE_UP, reason=f"refused (403): {message}", mend=mend)


def _judge_client_error(answer: Answer) -> Judgement:
    message = line(node(answer.body).get("message"), 300) or f"status {answer.status}"
    mends = {
        401: "the token is not accepted: renew GITHUB_TOKEN",
        404: "check the repository's name and that the token may read it",
        410: "issues are switched off or this was removed",
    }
    reason = f"GitHub answered {answer.status}: {message}"
    advice = Advice.GONE if answer.status in {404, 410} else Advice.GIVE_UP
    return Judgement(advice=advice, reason=reason, mend=mends.get(answer.status, ""))


def _wait_for_reset(answer: Answer, now: datetime, message: str) -> Judgement:
    wait = _retry_after(answer)
    resets_at = reset_time(answer.headers)
    if wait is None and resets_at is not None:
        wait = max(0.0, (resets_at - now).total_seconds()) + _MARGIN_SECONDS
    return Judgement(
        advice=Advice.WAIT,
        reason=message or "the hour's allowance is used up",
        wait_seconds=wait,
        base_seconds=_SECONDARY_SECONDS,
    )


def _secondary(answer: Answer, message: str) -> Judgement:
    return Judgement(
        advice=Advice.WAIT,
        reason=message or "secondary rate limit",
        wait_seconds=_retry_after(answer),
        base_seconds=_SECONDARY_SECONDS,
    )


def _retry_after(answer: Answer) -> float | None:
    value = answer.headers.get("retry-after", "").strip()
    return float(value) if value.isascii() and value.isdigit() and len(value) < 7 else None


def reset_time(headers: Mapping[str, str]) -> datetime | None:
    """When the allowance is full again, from ``x-ratelimit-reset``."""
    value = headers.get("x-ratelimit-reset", "").strip()
    if not (value.isascii() and value.isdigit() and len(value) <= 11):
        return None
    return datetime.fromtimestamp(int(value), UTC)


class Patience:
    """Waits between tries, and how much waiting is left in this session.

    Waits longer than ``longest_wait_seconds`` at once, or more tries than a few in a row, end in
    RemoteError that says when to come back.
    """

    def __init__(
        self, clock: Clock, sleep: Callable[[float], None], *, longest_wait_seconds: float = 300.0
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._longest = longest_wait_seconds
        self.waited_seconds = 0.0

    def now(self) -> datetime:
        """Aware UTC time."""
        return self._clock.now()

    def tries(self) -> Iterator[int]:
        """Numbers of the tries that one request may take, from 0."""
        return iter(range(_MAX_TRIES))

    def wait(self, judgement: Judgement, attempt: int, where: str) -> None:
        """Wait as the judgement asks. Raises RemoteError when that is too long or too often."""
        seconds = judgement.wait_seconds
        if seconds is None:
            seconds = judgement.base_seconds * 2.0**attempt
        if attempt + 1 >= _MAX_TRIES or seconds > self._longest:
            raise RemoteError(judgement.reason, where=where, mend=self._come_back(seconds))
        self.waited_seconds += seconds
        self._sleep(seconds)

    def _come_back(self, seconds: float) -> str:
        if seconds > self._longest:
            minutes = int(seconds // 60) + 1
            return f"what was read is kept; go on with the next sync in {minutes} minutes"
        return "what was read is kept; the next sync goes on from there"


class PageSize:
    """How much to ask for at once: halved when it is too much, slowly back when all goes well."""

    _CALM: Final = 8

    def __init__(self, most: int) -> None:
        self._most = most
        self._good = 0
        self.size = most

    def shrink(self, asked: int) -> bool:
        """Halve what was asked for; False when that was a single thing."""
        self._good = 0
        if asked <= 1:
            return False
        self.size = max(1, min(self.size, asked) // 2)
        return True

    def went_well(self) -> None:
        """One more good answer."""
        self._good += 1
        if self._good >= self._CALM and self.size < self._most:
            self._good, self.size = 0, min(self._most, self.size * 2)
