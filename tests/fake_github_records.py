"""What the fake GitHub remembers, and what people do there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_dropped: bool = False
    """The connection breaks with no answer."""
    is_truncated: bool = False
    """Half of the body comes, then the connection breaks."""
    is_slow: bool = False
    """The body comes byte by byte."""


@dataclass
class Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def document(self) -> str:
        return json.loads(self.body)["query"] if self.path.endswith("graphql") else ""

    @property
    def variables(self) -> dict[str, Any]:
        return json.loads(self.body)["variables"] if self.path.endswith("graphql") else {}


@dataclass
class Pull:
    number: int
    title: str
    body: str = ""
    state: str = "MERGED"
    at: datetime = START
    base: str = "main"
    labels: list[str] = field(default_factory=list)
    closes: list[int] = field(default_factory=list)
    remarks: list[tuple[str, str, bool]] = field(default_factory=list)
    """(path, text, is_resolved)."""


@dataclass
class Report:
    """An issue."""

    number: int
    title: str
    body: str = ""
    state: str = "OPEN"
    reason: str | None = None
    opened_at: datetime = START
    at: datetime = START
    closed_at: datetime | None = None
    labels: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    comments: int = 0


class Repository:
    """One repository's issues and pull requests, and what people do to them."""

    def __init__(self, name: str, number: int, tick: Callable[[], datetime]) -> None:
        self.name = name
        self.id = number
        self.issues: dict[int, Report] = {}
        self.pulls: dict[int, Pull] = {}
        self.moved: dict[int, tuple[Repository, int]] = {}
        self._tick = tick

    def open_issue(self, number: int, title: str = "", body: str = "", **rest: Any) -> Report:
        at = self._tick()
        values = {"opened_at": at, "at": at, **rest}
        report = Report(number, title or f"Issue {number}", body, **values)
        self.issues[number] = report
        return report

    def add_pull(self, number: int, title: str = "", body: str = "", **rest: Any) -> Pull:
        """A pull request; what it closes is linked and, when merged, closed."""
        values = {"at": self._tick(), **rest}
        pull = Pull(number, title or f"Change {number}", body, **values)
        self.pulls[number] = pull
        for closed in pull.closes:
            self.mention(closed, number, closes=True)
            if pull.state == "MERGED":
                self.close(closed, by="merger", closer=number)
        return pull

    def settle(self, pull: int, state: str) -> None:
        """A pull request is merged or closed; issues that it is linked to do not move."""
        self.pulls[pull].state = state
        self.pulls[pull].at = self._tick()

    def mention(self, issue: int, pull: int, *, closes: bool = False) -> None:
        event = {"kind": "CrossReferencedEvent", "source": pull, "closes": closes}
        self._touch(issue).events.append(event)

    def connect(self, issue: int, pull: int) -> None:
        self._touch(issue).events.append({"kind": "ConnectedEvent", "source": pull})

    def disconnect(self, issue: int, pull: int) -> None:
        self._touch(issue).events.append({"kind": "DisconnectedEvent", "source": pull})

    def mark_duplicate(self, issue: int, original: int) -> None:
        self.close(issue, reason="DUPLICATE")
        event = {"kind": "MarkedAsDuplicateEvent", "canonical": original}
        self._touch(issue).events.append(event)

    def close(
        self,
        issue: int,
        *,
        by: str = "someone",
        closer: int | None = None,
        reason: str = "COMPLETED",
    ) -> None:
        report = self._touch(issue)
        report.state, report.reason, report.closed_at = "CLOSED", reason, report.at
        report.events.append({"kind": "ClosedEvent", "by": by, "closer": closer})

    def reopen(self, issue: int) -> None:
        report = self._touch(issue)
        report.state, report.reason, report.closed_at = "OPEN", "REOPENED", None

    def comment(self, issue: int) -> None:
        self._touch(issue).comments += 1

    def transfer(self, issue: int, to: Repository, number: int) -> None:
        report = self.issues.pop(issue)
        report.number = number
        to.issues[number] = report
        self.moved[issue] = (to, number)

    def _touch(self, issue: int) -> Report:
        report = self.issues[issue]
        report.at = self._tick()
        return report


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
