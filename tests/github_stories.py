"""What the tests about GitHub share: a store on a file, a session with the fake, one sync."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path

import httpx

from tests.fake_github import START, TOKEN, FakeGitHub
from tests.fake_github_http import InProcess
from watcher.adapters.github.auth import PUBLIC_API, Token
from watcher.adapters.github.connect import connect
from watcher.adapters.github.limits import Patience
from watcher.adapters.github.session import GitHubSession
from watcher.pipeline.words import WordsRequest, WordsResult, fetch_words
from watcher.ports.store import Store
from watcher.store.migrate import open_store
from watcher.store.repository import SqlStore
from watcher.upstreams.load import load_profile
from watcher.upstreams.profile import Profile

MIGRATIONS = Path(__file__).parents[1] / "migrations"
PROFILES = Path(__file__).parents[1] / "watcher" / "upstreams"
UPSTREAM = "verl-project/verl"


@lru_cache
def profile_of(upstream: str = UPSTREAM) -> Profile:
    return load_profile(upstream, lambda name: (PROFILES / name).read_text())


def open_store_at(path: Path) -> SqlStore:
    return open_store(f"sqlite:///{path}", MIGRATIONS)


class FakeTime:
    """A clock that sleeping moves. ``slept`` lists the waits."""

    def __init__(self, github: FakeGitHub) -> None:
        self._github = github
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._github.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._github.tick(seconds=seconds)


class Quiet:
    """A progress that nobody sees."""

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        """Not shown."""

    def note(self, line: str) -> None:
        """Not shown."""


def session_with(
    github: FakeGitHub,
    *,
    token: str | None = TOKEN,
    time: FakeTime | None = None,
    transport: httpx.BaseTransport | None = None,
    base_url: str = PUBLIC_API,
    batch: int = 50,
    page: int = 100,
) -> GitHubSession:
    time = time or FakeTime(github)
    return connect(
        base_url,
        Token(token, "the test") if token else None,
        Patience(time, time.sleep),
        transport=transport or InProcess(github),
        batch=batch,
        page=page,
    )


def sync(
    store: Store,
    session: GitHubSession,
    numbers: Sequence[int] = (),
    named: Sequence[int] = (),
    *,
    upstream: str = UPSTREAM,
    since: datetime = START,
) -> WordsResult:
    request = WordsRequest(
        upstream=upstream,
        profile=profile_of(upstream),
        since=since,
        numbers=numbers,
        named=named,
    )
    return fetch_words(store, session, request, Quiet())
