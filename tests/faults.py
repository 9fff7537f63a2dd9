"""One harness for "whatever breaks, the next run completes".

A *world* is a FakeGitHub with its store; a *run* syncs it through a transport. A fresh world meets
a fault at one request of its run, then runs again in peace; the caller compares what came of it
with the outcome of a clean run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import httpx

from tests.fake_github import FakeGitHub, Reply, Request, json_reply
from tests.fake_github_http import InProcess


class Killed(BaseException):
    """The process is gone: nothing catches this."""


class World(Protocol):
    """What a fault is tried on."""

    @property
    def github(self) -> FakeGitHub: ...

    def run(self, transport: httpx.BaseTransport) -> None:
        """Sync once; failing softly is fine."""


W = TypeVar("W", bound=World)


@dataclass(frozen=True)
class Fault:
    """What happens to one request."""

    name: str
    reply: Reply | None = None
    """Answers in place of the fake."""
    is_killed_before: bool = False
    is_killed_after: bool = False
    """The answer was sent and charged, and the process dies before it can use it."""


def status_faults() -> list[Fault]:
    told = {"message": "no"}
    plain = [
        Fault(f"status {status}", json_reply(status, told))
        for status in (400, 401, 403, 404, 410, 422, 429, 500, 502, 503, 504)
    ]
    return [
        *plain,
        Fault(
            "secondary limit",
            json_reply(403, {"message": "You have exceeded a secondary rate limit"}),
        ),
        Fault("429 with Retry-After", json_reply(429, told, {"retry-after": "7"})),
        Fault("200 rate limited", graphql_error("RATE_LIMITED")),
        Fault("200 rate limit", graphql_error("RATE_LIMIT", code="graphql_rate_limit")),
        Fault("200 resources", graphql_error("RESOURCE_LIMITS_EXCEEDED")),
        Fault("empty answer", Reply(200)),
        Fault("no data", json_reply(200, {"data": None})),
        Fault("not JSON", Reply(200, {}, b"<html>")),
    ]


def break_faults() -> list[Fault]:
    return [
        Fault("killed before", is_killed_before=True),
        Fault("killed after", is_killed_after=True),
        Fault("dropped", Reply(is_dropped=True)),
        Fault("truncated", replace(json_reply(200, {"data": {"x": "y" * 50}}), is_truncated=True)),
    ]


def graphql_error(kind: str, **extensions: str) -> Reply:
    error = {"type": kind, "message": kind.lower(), "extensions": extensions}
    headers = {"x-ratelimit-remaining": "0"} if "RATE" in kind else {}
    return json_reply(200, {"data": None, "errors": [error]}, headers)


class FaultyTransport(InProcess):
    """The fake, with one fault at one request (from 1)."""

    def __init__(self, github: FakeGitHub, fault: Fault, at: int) -> None:
        super().__init__(github)
        self._fault, self._at, self._count, self._fake = fault, at, 0, github

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._count += 1
        if self._count != self._at:
            return super().handle_request(request)
        if self._fault.is_killed_before:
            raise Killed
        self._fake.faults.append(self._fault.reply)
        response = super().handle_request(request)
        if self._fault.is_killed_after:
            raise Killed
        return response


@dataclass
class Survivor(Generic[W]):
    """A world after a fault and a peaceful run."""

    world: W
    fault: Fault
    at: int
    first: list[Request]
    second: list[Request]
    """Requests of the run with the fault, and of the one after it."""

    def __str__(self) -> str:
        return f"{self.fault.name} at request {self.at}"


def everywhere(faults: list[Fault], requests: int) -> list[tuple[int, Fault]]:
    """Each fault at each request."""
    return [(at, fault) for at in range(1, requests + 1) for fault in faults]


def somewhere(faults: list[Fault], requests: int) -> list[tuple[int, Fault]]:
    """Each fault once, and each request at least once: a quick sample of ``everywhere``."""
    count = max(len(faults), requests)
    return [(1 + index % requests, faults[index % len(faults)]) for index in range(count)]


def survivors(make: Callable[[], W], tried: list[tuple[int, Fault]]) -> Iterator[Survivor[W]]:
    """Worlds that met a fault at a request and then ran in peace, each one of its own."""
    for at, fault in tried:
        world = make()
        try:
            world.run(FaultyTransport(world.github, fault, at))
        except Killed:
            world.github.faults.clear()
        first = list(world.github.requests)
        world.github.requests.clear()
        world.run(InProcess(world.github))
        yield Survivor(world, fault, at, first, list(world.github.requests))
