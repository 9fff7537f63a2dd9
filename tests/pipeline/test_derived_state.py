"""What lies beside the mirror is derived: damaged or deleted, the next sync makes it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import make_issue
from tests.stories import Project, one_fix_behind
from watcher.facts.item import Item
from watcher.pipeline.pinned import NO_MOVES
from watcher.pipeline.user import Asked
from watcher.symptom.parse import parse_symptom


def one_line_state(project: Project) -> Path:
    (state,) = (project.directory / ".watcher" / "mirrors").glob("*.lineage/*.lineage")
    return state


def index_file(project: Project) -> Path:
    (index,) = (project.directory / ".watcher" / "mirrors").glob("*.index")
    return index


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def remove(path: Path) -> None:
    path.unlink()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = one_fix_behind(tmp_path)
    project.sync()
    return project


def with_one_more(project: Project) -> dict[str, Item]:
    project.upstream.squash(
        "[core] fix: step thrice", 2, {"engine/step.py": "def step():\n    return 3\n"}
    )
    project.close()
    project.sync()
    return project.items()


@pytest.mark.parametrize(
    ("find", "damage"),
    [
        (one_line_state, cut),
        (one_line_state, flip),
        (one_line_state, remove),
        (index_file, flip),
        (index_file, empty),
    ],
)
def test_a_damaged_derived_file_is_made_again(
    project: Project, find: Callable[[Project], Path], damage: Callable[[Path], None]
) -> None:
    project.close()
    damage(find(project))

    items = with_one_more(project)

    presences = {name: item.presence for name, item in items.items()}
    assert presences == {"engine#1": "present", "engine#2": "absent"}
    symptom = parse_symptom("step thrice", None, ())
    found = project.app.check(symptom, moves=NO_MOVES, asked=Asked())
    assert "engine#2" in [item.id for item in found.items]


def test_check_fills_a_lost_index_before_it_says_that_nothing_is_found(project: Project) -> None:
    project.close()
    index_file(project).unlink()
    symptom = parse_symptom("step twice", None, ())

    found = project.app.check(symptom, moves=NO_MOVES, asked=Asked())

    assert "engine#1" in [item.id for item in found.items]


def test_a_rebuilt_index_holds_the_bug_reports_too(project: Project) -> None:
    project.app.store.save_issues([make_issue(7, title="Gibberish after reload")])
    project.close()
    index_file(project).unlink()
    symptom = parse_symptom("gibberish after reload", None, ())

    found = project.app.check(symptom, moves=NO_MOVES, asked=Asked())

    assert "engine#7" in [item.id for item in found.items]
