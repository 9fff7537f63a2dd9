"""Whatever is damaged or full, the next sync is right, or one line says what to do."""

from __future__ import annotations

import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.builders import GitRepo, git_environment
from tests.stories import Project
from watcher.errors import WatcherError
from watcher.facts.item import Item

ROOT = Path(__file__).parents[2]


def upstream(directory: Path) -> GitRepo:
    repo = GitRepo(directory / "upstream")
    body = "".join(f"def step_{number}(x):\n    return x + {number}\n" for number in range(60))
    repo.squash("feat: start", 1, {"src/core.py": body})
    repo.tag("v1.0")
    for number in range(2, 12):
        changed = body.replace(f"x + {number}\n", f"x - {number}\n")
        repo.squash(f"fix: crash of step_{number}", number, {"src/core.py": changed})
    return repo


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A synced project, copied by each test."""
    home = tmp_path_factory.mktemp("clean")
    project = Project(home / "project", upstream(home)).configure("v1.0")
    project.sync()
    project.close()
    return project


@pytest.fixture
def project(clean: Project, tmp_path: Path) -> Iterator[Project]:
    """The same upstream with one more change, and the project before it knows of that."""
    repo = clean.upstream.copy(tmp_path / "upstream")
    shutil.copytree(clean.directory, tmp_path / "project")
    copy = Project(tmp_path / "project", repo).configure("v1.0")
    repo.squash("fix: one more", 99, {"src/more.py": "def more():\n    return 1\n"})
    yield copy
    copy.close()


def expected(project: Project, directory: Path) -> dict[str, Item]:
    """What a sync from nothing finds."""
    fresh = Project(directory / "fresh", project.upstream).configure("v1.0")
    fresh.sync()
    items = comparable(fresh.items())
    fresh.close()
    return items


def comparable(items: dict[str, Item]) -> dict[str, Item]:
    return {name: replace(item, score=None) for name, item in items.items()}


def files_of(project: Project, pattern: str) -> list[Path]:
    found = [path for path in project.directory.rglob(pattern) if path.is_file()]
    assert found, f"no file {pattern}"
    return found


def garble(path: Path) -> None:
    """Overwrite the middle half of a file."""
    content = bytearray(path.read_bytes())
    quarter = len(content) // 4
    content[quarter : 3 * quarter] = b"\xa5" * (2 * quarter)
    path.chmod(0o644)
    path.write_bytes(content)


def halve(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def blank(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")


DAMAGES = (garble, halve, blank, Path.unlink)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("derived", ["*.lineage", "*.index"])
def test_damaged_derived_state_is_made_again(
    project: Project, tmp_path: Path, derived: str, damage: Callable[[Path], None]
) -> None:
    for path in files_of(project, derived):
        damage(path)

    told = sync_or_told(project)
    if told:
        assert "run `watcher sync`, which makes it again" in told
        assert sync_or_told(project) == ""

    assert comparable(project.items()) == expected(project, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize(
    "part", ["*.pack", "*.idx", "packed-refs", "HEAD", "shallow", "watcher.json"]
)
def test_a_damaged_mirror_is_mended_or_the_line_says_how(
    project: Project, tmp_path: Path, part: str, damage: Callable[[Path], None]
) -> None:
    mirrors = project.directory / ".watcher" / "mirrors"
    for path in mirrors.rglob(part):
        if path.is_file():
            damage(path)

    told = sync_or_told(project)
    if told:
        assert re.search(r"delete|remove|sync", told), told
        shutil.rmtree(mirrors)
        assert sync_or_told(project) == ""

    assert comparable(project.items()) == expected(project, tmp_path)


@pytest.mark.parametrize("damage", DAMAGES[:3], ids=lambda damage: damage.__name__)
def test_a_damaged_database_is_told_and_a_new_one_is_filled(
    project: Project, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    project.close()
    file = project.directory / "watcher.db"
    damage(file)

    told = sync_or_told(project) or listed_or_told(project)
    if told:
        assert "move it away" in told or "another file" in told, told
        project.close()
        for path in project.directory.glob("watcher.db*"):
            path.unlink()
        assert sync_or_told(project) == ""

    assert comparable(project.items()) == expected(project, tmp_path)


def sync_or_told(project: Project) -> str:
    """Sync; the line that tells why it failed, or nothing."""
    from tests.stories import SilentProgress
    from watcher.pipeline.sync_all import FailedSync

    try:
        results = project.app.sync(SilentProgress())
    except WatcherError as error:
        return one_line(str(error))
    return one_line("".join(str(one.error) for one in results if isinstance(one, FailedSync)))


def listed_or_told(project: Project) -> str:
    """List; the line that tells why that failed, or nothing: a sync need not meet the damage."""
    try:
        project.items()
    except WatcherError as error:
        return one_line(str(error))
    return ""


def one_line(text: str) -> str:
    assert "\n" not in text
    return text


# --- a full disk ---


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [1, 8, 30, 60, 100, 200])
def test_a_full_disk_is_told_and_the_next_sync_completes(
    clean: Project, tmp_path: Path, kilobytes: int
) -> None:
    project = Project(tmp_path / "project", clean.upstream).configure("v1.0")

    status, told = limited_sync(project.directory, kilobytes * 1024)

    if status:
        assert status == 1, told
        assert len(told.strip().splitlines()) == 1, told
        assert "Traceback" not in told
    project.sync()
    assert comparable(project.items()) == expected(project, tmp_path)
    project.close()


def limited_sync(directory: Path, size: int) -> tuple[int, str]:
    """A real sync whose files may not grow beyond a size: (status, standard error)."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = subprocess.run(
        [sys.executable, "-c", "from watcher.cli.main import main; main()", "--quiet", "sync"],
        cwd=directory,
        env=git_environment() | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        preexec_fn=limit,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


# --- a clock that goes backwards ---


class Clock:
    """``ports.Clock`` that tells what it is set to."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


@contextmanager
def at(project: Project, moment: datetime) -> Iterator[Project]:
    project.close()
    project.app.clock = Clock(moment)
    yield project


def test_a_clock_that_goes_backwards_changes_nothing(project: Project, tmp_path: Path) -> None:
    before = project.app.clock.now() - timedelta(days=400)

    with at(project, before):
        project.sync()
        early = comparable(project.items())
    project.close()
    project.sync()

    assert early == comparable(project.items()) == expected(project, tmp_path)
