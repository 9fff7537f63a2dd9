"""Bug reports beside the fixes: listed, found by a symptom, shown, and judged by what landed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.builders import GitRepo, make_issue
from tests.stories import Project
from watcher.facts.kind import Kind, State
from watcher.facts.presence import Presence
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.pinned import NO_MOVES
from watcher.pipeline.reindex import index_issues
from watcher.symptom.parse import parse_symptom

OPENED = datetime(2026, 1, 1, 13, 0, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    repo = GitRepo(tmp_path / "upstream")
    pin = repo.commit({"engine/sync.py": "weights = collect_weights(model)\n"}, "Start")
    files: dict[str, str | bytes | None] = {
        "engine/sync.py": "weights = collect_weights(model, wait=True)\n"
    }
    repo.squash("[rollout] fix: wait for the weights", 20, files, "Fixes #11")
    project = Project(tmp_path / "project", repo).configure(pin)
    project.sync()
    issues = [
        make_issue(
            11, title="Garbled output after weight sync", opened_at=OPENED, updated_at=OPENED
        ),
        make_issue(
            12, title="Deadlock when the scheduler restarts", opened_at=OPENED, updated_at=OPENED
        ),
        make_issue(13, title="A question", opened_at=OPENED, updated_at=OPENED, is_bug=False),
    ]
    project.app.store.save_issues(issues)
    index_issues(project.app.followed("acme/engine"), project.app.store, (11, 12, 13))
    return project


def listed(project: Project, **filters: object) -> dict[str, object]:
    answer = project.app.list(ListFilter(**filters), moves=NO_MOVES)  # type: ignore[arg-type]
    return {item.id: item for item in answer.items}


def test_an_open_report_is_listed_and_a_question_is_not(project: Project) -> None:
    items = listed(project, kinds=frozenset({Kind.ISSUE}), everything=True)

    assert "engine#12" in items
    assert "engine#13" not in items


def test_a_report_that_a_landed_change_mends_says_so_though_it_is_open(project: Project) -> None:
    answer = project.app.list(ListFilter(everything=True), moves=NO_MOVES)
    item = next(item for item in answer.items if item.id == "engine#11")

    assert item.state is State.OPEN
    assert item.mended_by == "engine#20"
    assert "mended" in item.presence_detail


def test_the_default_list_counts_reports_of_listed_mends_only(project: Project) -> None:
    answer = project.app.list(ListFilter(), moves=NO_MOVES)

    assert "engine#11" not in {item.id for item in answer.items}
    assert answer.searched_issues == 2


def test_a_symptom_finds_an_open_report(project: Project) -> None:
    answer = project.app.check(
        parse_symptom("deadlock when the scheduler restarts"), moves=NO_MOVES
    )

    assert answer.items[0].id == "engine#12"
    assert answer.items[0].kind is Kind.ISSUE


def test_a_report_is_shown_with_its_mend(project: Project) -> None:
    _, report = project.app.show("engine#11", moves=NO_MOVES)

    assert report.action == "Look at engine#20: it mends this."
    assert report.item.presence is Presence.UNKNOWN


def test_a_report_opened_after_the_horizon_does_not_exist(project: Project) -> None:
    late = make_issue(40, title="Later", opened_at=datetime(2027, 1, 1, tzinfo=UTC))
    project.app.store.save_issues([late])

    then = project.list(as_of=["main"])

    assert "engine#40" in listed(project, everything=True)
    assert "engine#12" in {item.id for item in then.items}
    assert "engine#40" not in {item.id for item in then.items}
