"""From a pin to the list of what it lacks, on real repositories made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.stories import Project
from watcher.facts.kind import Kind
from watcher.facts.pin import ResolvedPin, UnresolvedPin
from watcher.facts.presence import Presence


@pytest.fixture
def upstream(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "upstream")
    repo.commit({"engine/core.py": "def run(x):\n    return x\n"}, "Start")
    return repo


@pytest.fixture
def project(tmp_path: Path, upstream: GitRepo) -> Project:
    return Project(tmp_path / "project", upstream)


def test_every_change_since_the_pin_is_there_once(project: Project, upstream: GitRepo) -> None:
    pin = upstream.squash(
        "[core] feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"}
    )
    for number in range(2, 7):
        text = f"TIMEOUT_SECONDS = compute_timeout({number})\n"
        upstream.squash(f"[core] fix: timeout {number}", number, {"engine/a.py": text})

    project.configure(pin).sync()

    assert set(project.items()) == {f"engine#{number}" for number in range(2, 7)}


def test_a_second_sync_adds_what_is_new_and_doubles_nothing(
    project: Project, upstream: GitRepo
) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    upstream.squash("fix: a", 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    project.configure(pin).sync()
    upstream.squash("fix: a again", 3, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(3)\n"})

    result = project.sync()

    assert result.new_changes == 1
    assert set(project.items()) == {"engine#2", "engine#3"}
    assert project.sync().new_changes == 0


def test_a_deleted_index_and_line_table_are_made_again(project: Project, upstream: GitRepo) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    upstream.squash("fix: a", 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    project.configure(pin).sync()
    project.close()
    for path in (project.directory / ".watcher").rglob("*"):
        if (
            path.is_file()
            and ".git" not in path.parts[-2]
            and (path.suffix == ".index" or "lineage" in str(path))
        ):
            path.unlink()
    upstream.squash("fix: a again", 3, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(3)\n"})

    result = project.sync()

    assert "line table" in result.restarted
    assert set(project.items()) == {"engine#2", "engine#3"}


def test_a_rewritten_branch_is_read_anew(project: Project, upstream: GitRepo) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    upstream.squash("fix: a", 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    project.configure(pin).sync()
    upstream.git("reset", "--hard", pin)
    upstream.squash(
        "fix: a otherwise", 5, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(5)\n"}
    )

    result = project.sync()

    assert "rewritten" in result.restarted
    assert set(project.items()) == {"engine#5"}


def test_a_backport_before_the_pin_is_contained_and_one_after_it_is_not(
    project: Project, upstream: GitRepo
) -> None:
    upstream.squash("feat: plus", 1, {"engine/core.py": "def run(x):\n    return x + 1\n"})
    upstream.branch("release/v1.0").switch("main")
    fix = upstream.squash("fix: plus two", 2, {"engine/core.py": "def run(x):\n    return x + 2\n"})
    later = upstream.squash("fix: the other thing at last", 3, {"engine/b.py": "B = 1\n"})
    upstream.switch("release/v1.0")
    upstream.cherry_pick(fix)
    upstream.tag("v1.0.1")
    upstream.cherry_pick(later)
    upstream.tag("v1.0.2")
    upstream.switch("main")

    project.configure("v1.0.1").sync()

    assert project.items()["engine#2"].presence is Presence.CONTAINED
    assert project.items()["engine#3"].presence is not Presence.CONTAINED
    moved = project.items(at=["engine=v1.0.2"])
    assert moved["engine#3"].presence is Presence.CONTAINED


def test_a_reverted_fix_is_withdrawn_and_a_reland_stands(
    project: Project, upstream: GitRepo
) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    fix = upstream.squash("fix: a", 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    upstream.revert(fix, f'Revert "fix: a (#2)" (#3)\n\nThis reverts commit {fix}.\n')
    project.configure(pin).sync()
    assert project.items()["engine#2"].presence is Presence.WITHDRAWN

    upstream.squash("[reland] fix: a", 4, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    project.sync()

    assert project.items()["engine#2"].presence is Presence.WITHDRAWN
    assert project.items()["engine#4"].presence is Presence.PRESENT


def test_as_of_hides_what_came_later(project: Project, upstream: GitRepo) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    fix = upstream.squash("fix: a", 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    upstream.revert(fix, f'Revert "fix: a (#2)" (#3)\n\nThis reverts commit {fix}.\n')
    project.configure(pin).sync()

    items = project.items(as_of=[f"engine={fix}"])

    assert set(items) == {"engine#2"}
    assert items["engine#2"].presence is Presence.PRESENT


def test_a_pin_that_is_unknown_is_told_and_the_others_go_on(
    project: Project, upstream: GitRepo
) -> None:
    upstream.squash("fix: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    more = (
        '[[pins]]\nname = "lost"\nupstream = "acme/engine"\nref = "v9.9"\napi = "off"\n'
        f'git = "{upstream.path.as_uri()}"\n'
    )
    project.configure(upstream.sha("HEAD~1"), more=more).sync()

    pins = {one.name: one.pin for one in project.app.pinned()}

    assert isinstance(pins["engine"], ResolvedPin)
    assert isinstance(pins["lost"], UnresolvedPin)
    assert pins["lost"].mend


def test_a_hostile_title_reaches_the_store_and_no_escape_does(
    project: Project, upstream: GitRepo
) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    title = "fix: \x1b[31m<script>alert(1)</script> \u202egnp.exe " + "x" * 5000
    upstream.squash(title, 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})

    project.configure(pin).sync()

    item = next(iter(project.items().values()))
    assert "<script>" in item.title
    assert "\x1b" not in item.title
    assert "\u202e" not in item.title
    assert len(item.title) <= 1000


def test_zero_changes_behind_is_a_valid_answer(project: Project) -> None:
    project.configure("main").sync()

    answer = project.list()

    assert answer.pins[0].behind == 0
    assert answer.items == ()
    assert not answer.is_stale


def test_fixes_are_counted_and_kinds_told(project: Project, upstream: GitRepo) -> None:
    pin = upstream.squash("feat: a", 1, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(1)\n"})
    upstream.squash("[core] fix: a", 2, {"engine/a.py": "TIMEOUT_SECONDS = compute_timeout(2)\n"})
    upstream.squash("[doc] chore: words", 3, {"docs/a.md": "text\n"})
    project.configure(pin).sync()

    status = project.list().pins[0]

    assert (status.behind, status.fixes_behind) == (2, 1)
    assert project.items()["engine#3"].kind in {Kind.DOCS, Kind.CHORE}
