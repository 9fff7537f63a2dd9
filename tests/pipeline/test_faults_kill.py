"""A sync killed at any moment leaves a readable store; the next one completes it, nothing twice."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import GitRepo, git_environment
from tests.stories import Project

ROOT = Path(__file__).parents[2]
SAMPLE = [("git", 6), ("statement", 60), ("open", 9)]
"""Some moments of each kind, for the quick run."""


@dataclass(frozen=True)
class World:
    """A project whose upstream has moved on since its last sync, to be copied for each kill."""

    home: Path
    wanted: dict[str, object]
    """Outcome of a sync that nobody disturbed."""

    def copied(self, home: Path) -> Project:
        shutil.copytree(self.home, home, symlinks=True)
        upstream = object.__new__(GitRepo)
        upstream.path = home / "upstream"
        project = Project(home / "project", upstream)
        return project.configure("v1.0.0")


def history(upstream: GitRepo, numbers: range) -> None:
    for number in numbers:
        text = "".join(f"def step_{n}():\n    return {n}\n" for n in range(number))
        files: dict[str, str | bytes | None] = {"engine/step.py": text}
        upstream.squash(f"[core] fix: step {number}", number, files)


@pytest.fixture(scope="module", params=["first sync", "later sync"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    home = tmp_path_factory.mktemp("kill") / "home"
    upstream = GitRepo(home / "upstream")
    history(upstream, range(1, 4))
    upstream.tag("v1.0.0")
    history(upstream, range(4, 9))
    project = Project(home / "project", upstream).configure("v1.0.0")
    if request.param == "later sync":
        project.sync()
        history(upstream, range(9, 14))
        upstream.branch("release/v1.0.0", "v1.0.0")
        upstream.squash("[core] fix: only here", 99, {"engine/other.py": "x = 1\n"})
        upstream.switch("main")
    project.close()
    world = World(home, {})
    clean = world.copied(home.parent / "clean")
    clean.sync()
    return World(home, outcome(clean))


def outcome(project: Project) -> dict[str, object]:
    """All that the store holds, times of syncs left out."""
    project.close()
    store = project.directory / "watcher.db"
    with sqlite3.connect(store) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        changes = connection.execute(
            "SELECT sha, branch, position, number, title, files, code, origins FROM change"
            " ORDER BY branch, position, sha"
        ).fetchall()
        links = connection.execute("SELECT sha, body FROM links ORDER BY sha").fetchall()
    items = {name: str(item.presence) for name, item in project.items().items()}
    marker = project.app.followed(project.name).index.marker()
    project.close()
    return {"changes": changes, "links": links, "items": items, "marker": marker}


def killed(project: Project, kind: str, count: int) -> int:
    """Exit status of a sync that dies at a point; negative is a signal."""
    config = str(project.directory / "watcher.toml")
    variables = git_environment() | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.pipeline.killed_sync", config, kind, str(count)]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=False)
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()
    return done.returncode


def readable(project: Project) -> None:
    """Whatever happened, the store answers: from what it held before, or that it holds nothing."""
    answer = project.list()
    project.close()
    json.dumps([item.id for item in answer.items])
    assert all(pin.reason is None or "never synced" in pin.reason for pin in answer.pins)


def every_moment(step: int) -> Iterator[tuple[str, int]]:
    for kind, most in (("git", 40), ("statement", 300), ("file", 60), ("open", 120)):
        for count in range(1, most, 1 if kind == "git" else step):
            yield kind, count


@pytest.mark.parametrize(("kind", "count"), SAMPLE)
def test_after_a_kill_the_next_sync_completes(
    world: World, tmp_path: Path, kind: str, count: int
) -> None:
    project = world.copied(tmp_path / "home")

    killed(project, kind, count)
    readable(project)
    project.sync()

    assert outcome(project) == world.wanted


@pytest.mark.slow
def test_after_a_kill_at_any_of_many_moments_the_next_sync_completes(
    world: World, tmp_path: Path
) -> None:
    ended: set[str] = set()
    for number, (kind, count) in enumerate(every_moment(7)):
        if kind in ended:
            continue
        project = world.copied(tmp_path / f"home-{number}")
        if killed(project, kind, count) == 0:
            ended.add(kind)
        readable(project)
        project.sync()
        assert outcome(project) == world.wanted, (kind, count)
        shutil.rmtree(tmp_path / f"home-{number}")


def test_two_syncs_at_once_do_each_others_work_once(world: World, tmp_path: Path) -> None:
    project = world.copied(tmp_path / "home")
    start = "from watcher.cli.main import main; main()"
    config = str(project.directory / "watcher.toml")
    command = [sys.executable, "-c", start, "--config", config, "sync"]
    variables = git_environment() | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}

    both = [
        subprocess.Popen(command, cwd=ROOT, env=variables, stderr=subprocess.PIPE) for _ in range(2)
    ]
    told = [one.communicate(timeout=120)[1].decode() for one in both]

    assert [one.returncode for one in both] == [0, 0], told
    assert outcome(project) == world.wanted
