"""Whatever happens to a request, the next sync completes and asks nothing twice that is stored."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from tests.fake_github import TOKEN, FakeGitHub, Request
from tests.fake_github_http import InProcess
from tests.faults import Fault, break_faults, everywhere, somewhere, status_faults, survivors
from tests.github_stories import UPSTREAM, open_store_at, session_with, sync
from watcher.facts.issue import Issue, PullRequestWords

NUMBERS = (101, 102, 103, 104)
NAMED = (7, 900)


@dataclass
class SmallWorld:
    """Five open bugs and one closed, four pull requests, one issue moved, in small batches."""

    github: FakeGitHub
    path: Path
    named: tuple[int, ...] = NAMED
    token: str | None = TOKEN

    def run(self, transport: httpx.BaseTransport) -> None:
        store = open_store_at(self.path)
        try:
            session = session_with(
                self.github, token=self.token, transport=transport, batch=2, page=4
            )
            sync(store, session, NUMBERS, self.named)
        finally:
            store.close()

    def outcome(self) -> tuple[list[Issue], dict[int, PullRequestWords]]:
        store = open_store_at(self.path)
        try:
            issues = sorted(store.issues(UPSTREAM), key=lambda issue: issue.number)
            return issues, store.words(UPSTREAM)
        finally:
            store.close()


def tell() -> FakeGitHub:
    github = FakeGitHub()
    repository = github.repository(UPSTREAM)
    for number in range(1, 7):
        repository.open_issue(number, f"[Bug] number {number}")
    for number in NUMBERS:
        repository.add_pull(number, f"[misc] fix: {number}", closes=[1] if number == 101 else [])
    repository.open_issue(900, "[Bug] that moved")
    repository.transfer(900, github.repository("verl-project/recipes"), 3)
    return github


@pytest.fixture
def make(tmp_path: Path) -> Callable[[], SmallWorld]:
    empty = tmp_path / "empty.db"
    open_store_at(empty).close()
    made = iter(range(10_000))

    def build() -> SmallWorld:
        path = tmp_path / f"{next(made)}.db"
        shutil.copy(empty, path)
        return SmallWorld(tell(), path)

    return build


def asked_numbers(requests: list[Request]) -> list[int]:
    """Pull requests that were asked for by number."""
    return [
        int(number)
        for request in requests
        for number in re.findall(r"n(\d+): pullRequest\(", request.document)
    ]


ALL = [*break_faults(), *status_faults()]


@pytest.mark.parametrize(
    "tried",
    [
        lambda requests: somewhere(ALL[::2], requests),
        pytest.param(lambda requests: everywhere(ALL, requests), marks=pytest.mark.slow),
    ],
    ids=["sample", "all"],
)
def test_nothing_is_lost_or_doubled_whatever_breaks(
    make: Callable[[], SmallWorld], tried: Callable[[int], list[tuple[int, Fault]]]
) -> None:
    clean = make()
    clean.run(InProcess(clean.github))
    wanted, requests = clean.outcome(), len(clean.github.requests)

    for survivor in survivors(make, tried(requests)):
        assert survivor.world.outcome() == wanted, survivor


def test_after_a_kill_nothing_stored_is_asked_for_again(make: Callable[[], SmallWorld]) -> None:
    def without_a_moved_issue() -> SmallWorld:
        return replace(make(), named=(6,))

    clean = without_a_moved_issue()
    clean.run(InProcess(clean.github))
    tried = everywhere(break_faults()[:2], len(clean.github.requests))

    for survivor in survivors(without_a_moved_issue, tried):
        stored = survivor.first[: survivor.at - 1]
        assert not {one.body for one in stored} & {one.body for one in survivor.second}, survivor
        again = set(asked_numbers(stored)) & set(asked_numbers(survivor.second))
        assert not again, survivor


def test_without_a_token_nothing_is_lost_either(make: Callable[[], SmallWorld]) -> None:
    def with_two_pages() -> SmallWorld:
        world = replace(make(), token=None)
        for number in range(1000, 1120):
            world.github.repository(UPSTREAM).open_issue(number, f"[Bug] number {number}")
        return world

    clean = with_two_pages()
    clean.run(InProcess(clean.github))
    wanted = clean.outcome()

    for survivor in survivors(with_two_pages, everywhere(break_faults(), 2)):
        assert survivor.world.outcome() == wanted, survivor


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_a_store_that_the_next_one_completes(
    make: Callable[[], SmallWorld],
) -> None:
    clean = make()
    clean.run(InProcess(clean.github))
    wanted, requests = clean.outcome(), len(clean.github.requests)

    for moment in range(1, requests + 1):
        world = make()
        child = multiprocessing.get_context("fork").Process(target=die_at, args=(world, moment))
        child.start()
        child.join(60)
        assert child.exitcode == 9
        world.run(InProcess(world.github))
        assert world.outcome() == wanted, moment


def die_at(world: SmallWorld, moment: int) -> None:
    """Sync in this process until a request, and end without any clearing up."""
    world.github.before = lambda count: os._exit(9) if count == moment else None
    world.run(InProcess(world.github))
