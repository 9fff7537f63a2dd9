"""How many requests GitHub is asked, beside what a plain loop over PyGithub would ask.

Both ask the same fake on loopback, which counts. The stories have the sizes of verl since v0.8.0
and of a vLLM quarter.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.fake_github import START, TOKEN, FakeGitHub
from tests.fake_github_http import loopback, served
from tests.github_stories import open_store_at, session_with, sync


@dataclass(frozen=True)
class Story:
    """One upstream's history between a pin and its head."""

    upstream: str
    changes: int
    open_bugs: int
    closed_bugs: int
    other_issues: int
    """Open issues that report no bug."""
    closes_every: int
    """Every n-th change closes a bug."""
    names_every: int
    """Every n-th change is about an issue from before the pin."""
    daily_changes: int
    daily_issues: int
    allowed: int
    allowed_daily: int


VERL = Story("verl-project/verl", 337, 200, 120, 40, 12, 20, 5, 12, allowed=12, allowed_daily=5)
VLLM = Story("vllm-project/vllm", 2400, 800, 700, 150, 8, 60, 30, 60, allowed=65, allowed_daily=8)


def tell(story: Story) -> FakeGitHub:
    """The upstream as it stands at the first sync."""
    github = FakeGitHub()
    repository = github.repository(story.upstream)
    step = {"seconds": 40}
    body = "### Describe the bug\n" + "words " * 60
    for number in range(1, story.changes // story.names_every + 2):
        repository.open_issue(number, "[Bug]: old", body, at=START - timedelta(days=90))
    number = 1000
    bugs: list[int] = []
    for index in range(story.open_bugs + story.closed_bugs + story.other_issues):
        number, kind = number + 1, index % 20
        is_other = kind == 0 and index // 20 < story.other_issues
        at = github.tick(**step)
        labels = ["enhancement"] if is_other else ["bug"]
        title = "[Feature]: more" if is_other else "[Bug]: broken"
        repository.open_issue(number, title, body, opened_at=at, at=at, labels=labels)
        bugs += [] if is_other else [number]
    for closed in bugs[: story.closed_bugs]:
        repository.close(closed, by="github-actions[bot]")
    add_changes(github, story, range(10_000, 10_000 + story.changes), bugs[: story.closed_bugs])
    return github


def add_changes(github: FakeGitHub, story: Story, numbers: range, bugs: list[int]) -> None:
    """Pull requests that landed."""
    repository = github.repository(story.upstream)
    for index, number in enumerate(numbers):
        closes = [bugs[index % len(bugs)]] if bugs and index % story.closes_every == 0 else []
        named = index // story.names_every + 1
        about = f"\n\nrelated to #{named}" if index % story.names_every == 0 else ""
        repository.add_pull(number, f"[misc] fix: {number}", "what it does" + about, closes=closes)


def add_a_day(github: FakeGitHub, story: Story) -> range:
    """A day of upstream's life: changes, new bugs, comments."""
    repository = github.repository(story.upstream)
    numbers = range(20_000, 20_000 + story.daily_changes)
    add_changes(github, story, numbers, [])
    for number in range(21_000, 21_000 + story.daily_issues):
        repository.open_issue(number, "[Bug]: new today", "words", labels=["bug"])
    return numbers


def is_over(story: Story, counts: dict[str, int]) -> bool:
    """True when a sync asked more often than it may."""
    return counts[FIRST] > story.allowed or counts[IDLE] > 2 or counts[DAILY] > story.allowed_daily


FIRST, IDLE, DAILY, LOOP = (
    "first sync", "nothing new", "a day later", "plain PyGithub loop, every time",
)  # fmt: skip


def measure(story: Story) -> dict[str, int]:
    """Requests of the first sync, of one with nothing new, of one a day later, and of the loop."""
    github = tell(story)
    counts: dict[str, int] = {}

    def counted(name: str, run: Callable[[], object]) -> None:
        github.requests.clear()
        github.remaining = 100_000
        run()
        counts[name] = len(github.requests)

    landed = [*range(10_000, 10_000 + story.changes)]
    with tempfile.TemporaryDirectory() as directory, served(github) as base_url:
        store = open_store_at(Path(directory) / "watcher.db")

        def once(numbers: list[int]) -> None:
            session = session_with(github, base_url=base_url, transport=loopback())
            result = sync(store, session, numbers, upstream=story.upstream)
            session.close()
            if result.problem:
                raise SystemExit(result.problem)

        counted(FIRST, lambda: once(landed))
        counted(IDLE, lambda: once(landed))
        today = add_a_day(github, story)
        counted(DAILY, lambda: once([*landed, *today]))
        store.close()
        counted(LOOP, lambda: plain_loop(base_url, story))
    return counts


def plain_loop(base_url: str, story: Story) -> None:
    """What one writes first: every merged pull request by its own call, then the open bugs."""
    from github import Auth, Github

    session = Github(
        base_url=base_url, auth=Auth.Token(TOKEN), per_page=100, seconds_between_requests=None
    )
    repository = session.get_repo(story.upstream)
    for issue in repository.get_issues(state="open", labels=["bug"], since=START):
        _ = issue.body
    for number in range(10_000, 10_000 + story.changes):
        _ = repository.get_pull(number).body


def main() -> None:
    """Measure the stories named, or all, and print JSON."""
    stories = {"verl": VERL, "vllm": VLLM}
    stories = {name: stories[name] for name in sys.argv[1:] or stories}
    measured = [measure(story) for story in stories.values()]
    rows = [["what", *stories]]
    rows += [[what, *(f"{one[what]:,}" for one in measured)] for what in measured[0]]
    sizes = "; ".join(
        f"{name}: {story.changes:,} changes, {story.open_bugs} open bugs"
        for name, story in stories.items()
    )
    over = any(is_over(story, one) for story, one in zip(stories.values(), measured, strict=True))
    print(json.dumps({"sizes": sizes, "rows": rows, "is_over": over}))


if __name__ == "__main__":
    main()
