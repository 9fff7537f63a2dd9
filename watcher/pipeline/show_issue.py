"""The use case ``show`` for a bug report: what it says, what it really is, who mends it."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.facts.issue import Issue
from watcher.pipeline.assess import Assessor
from watcher.pipeline.issue_items import IssueBook
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.show import ItemName
from watcher.report.item_report import Event, ItemReport, compose_issue_report
from watcher.report.words import day


def show_issue(
    name: ItemName, pins: Sequence[Pinned], assessor: Assessor
) -> tuple[Pinned, ItemReport] | None:
    """The report of a bug report; None when the item is not one that is known."""
    if name.number is None:
        return None
    for one, pin, horizon in resolved(pins):
        if one.name != name.pin or assessor.store.find_changes(pin.upstream, name.number):
            continue
        issues = assessor.store.issues(pin.upstream, [name.number])
        found = IssueBook(assessor, one, pin, horizon).some(issues).get(name.number)
        if found is None:
            return None
        events = (
            *_events(issues[0]),
            Event(at=day(pin.committed_at), what=f"your pin {pin.ref}", is_pin=True),
        )
        timeline = tuple(sorted(events, key=lambda event: event.at))
        return one, compose_issue_report(found.item, issues[0], timeline)
    return None


def _events(issue: Issue) -> list[Event]:
    events = [Event(at=day(issue.opened_at), what=f"issue #{issue.number} opened")]
    if issue.closed_at is not None:
        who = " by a bot" if issue.closed_by_bot else ""
        events.append(Event(at=day(issue.closed_at), what=f"closed{who}"))
    return events
