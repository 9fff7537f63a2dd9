"""How a missing fix can be had, on a real repository: commands are run as they are printed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builders import GitRepo, paste
from tests.stories import Project
from watcher.cli.main import run
from watcher.errors import WatcherError
from watcher.facts.item import Item, Route, RouteKind
from watcher.pipeline.pinned import NO_MOVES, Moves

CORE = "".join(f"value_{n} = {n}\n" for n in range(12))
WIDE = {f"engine/part_{n}.py": f"A = {n}\n" for n in range(20)}


def core(**lines: str) -> str:
    """The core file with some lines changed (``l2="…"``)."""
    rows = CORE.splitlines()
    for name, text in lines.items():
        rows[int(name[1:])] = text
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """Pin v1.0; fixes 2 (backported), 4 (needs 3), 5 (compiled), 7 (conflicts with a wide 6)."""
    repo = GitRepo(tmp_path_factory.mktemp("routes") / "up stream")
    kernel = "int run() { return 1; }\n"
    files = {"engine/core.py": CORE, "csrc/run.cu": kernel, "engine/__init__.py": "", **WIDE}
    repo.squash("feat: start", 1, {**files, "tests/test_core.py": "T = 1\n"})
    repo.tag("v1.0")
    two = {"engine/core.py": core(l2="value_2 = 20"), "tests/test_core.py": "T = 2\n"}
    fix = repo.squash("fix: value two is wrong", 2, two)
    repo.branch("release/v1.0", "v1.0").cherry_pick(fix, trailer=True)
    repo.tag("v1.0.1")
    repo.switch("main")
    repo.squash("refactor: name six", 3, {"engine/core.py": core(l2="value_2 = 20", l6="six = 6")})
    four = core(l2="value_2 = 20", l6="six = 7")
    repo.squash("fix: six is wrong", 4, {"engine/core.py": four})
    repo.tag("v1.1")
    repo.squash("fix: the kernel returns one", 5, {"csrc/run.cu": kernel.replace("1", "2")})
    wide = core(l2="value_2 = 20", l6="six = 7", l9="nine = 9")
    repo.squash("refactor: all", 6, {"engine/core.py": wide, **dict.fromkeys(WIDE, "B = 1\n")})
    repo.squash("fix: nine is wrong", 7, {"engine/core.py": wide.replace("nine = 9", "nine = 8")})
    return repo


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, upstream: GitRepo) -> Project:
    project = Project(tmp_path_factory.mktemp("routes-project"), upstream)
    project.configure("v1.0").sync()
    return project


def shown(project: Project, name: str, *at: str) -> Item:
    moves = Moves.parse(at, (), project.app.pin_names)
    return project.app.show(name, moves=moves)[0].items[0]


def route(item: Item, kind: RouteKind) -> Route:
    return next(one for one in item.routes if one.kind is kind)


@pytest.fixture
def checkout(upstream: GitRepo, tmp_path: Path) -> GitRepo:
    """A work tree at the pin that does not have what came later."""
    copy = upstream.copy(tmp_path / "checkout")
    copy.git("checkout", "-q", "--detach", "v1.0")
    return copy


def test_a_point_release_comes_first_then_backport_and_pick(project: Project) -> None:
    item = shown(project, "engine#2")

    assert [one.kind.value for one in item.routes] == [
        "release", "backport", "cherry-pick", "upgrade",
    ]  # fmt: skip
    assert "v1.0.1" in item.routes[0].detail


@pytest.mark.parametrize("kind", list(RouteKind))
def test_every_command_works_as_pasted(
    project: Project, checkout: GitRepo, kind: RouteKind
) -> None:
    for command in route(shown(project, "engine#2"), kind).commands:
        paste(command, checkout)

    assert "value_2 = 20" in (checkout.path / "engine/core.py").read_text()


def test_a_conflict_is_solved_by_the_change_that_its_lines_come_from(
    project: Project, upstream: GitRepo, checkout: GitRepo
) -> None:
    pick = route(shown(project, "engine#4"), RouteKind.CHERRY_PICK)
    paste(pick.commands[0], checkout)

    assert pick.prerequisites == (upstream.sha("v1.1~1"),)
    assert not pick.conflicts
    assert "engine#3" in pick.detail
    assert (checkout.path / "engine/core.py").read_text() == core(l6="six = 7")


def test_a_wide_change_is_no_prerequisite_and_the_conflicting_file_is_named(
    project: Project,
) -> None:
    pick = route(shown(project, "engine#7"), RouteKind.CHERRY_PICK)

    assert pick.conflicts == ("engine/core.py",)
    assert not pick.prerequisites


def test_compiled_code_says_rebuild(project: Project) -> None:
    assert route(shown(project, "engine#5"), RouteKind.CHERRY_PICK).rebuild
    assert not route(shown(project, "engine#2"), RouteKind.CHERRY_PICK).rebuild


def test_what_no_release_holds_has_only_the_head(project: Project) -> None:
    kinds = {one.kind for one in shown(project, "engine#5").routes}

    assert kinds == {RouteKind.CHERRY_PICK, RouteKind.UPGRADE}


def test_what_the_pin_has_needs_no_route(project: Project) -> None:
    assert shown(project, "engine#2", "engine=v1.0.1").routes == ()


def test_a_list_gets_routes_of_all_its_items(project: Project) -> None:
    answer = project.app.with_routes(project.list(), NO_MOVES)

    assert [one.id for one in answer.items] == [one.id for one in project.list().items]
    assert all(one.routes for one in answer.items)


def test_a_kept_trial_needs_no_mirror(project: Project, upstream: GitRepo, tmp_path: Path) -> None:
    other = Project(tmp_path / "project", upstream)
    other.configure("v1.0").sync()
    finder = other.app.routes.make(other.app.pinned())["engine"]
    changes = other.app.store.changes("acme/engine")
    before = finder.trials.pick_each(changes)
    shutil.rmtree(other.directory / ".watcher")

    assert finder.trials.pick_each(changes) == before
    assert any(one.is_clean for one in before.values())


def test_the_patch_is_what_a_pick_makes_of_the_pin(project: Project, checkout: GitRepo) -> None:
    patch = project.app.patch("engine#4", moves=NO_MOVES)
    checkout.git("apply", "--index", "-", stdin=patch.text.encode())

    assert (checkout.path / "engine/core.py").read_text() == core(l6="six = 7")
    assert patch.text.startswith("# engine#4 ")


def test_a_patch_that_conflicts_is_refused_with_the_files(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WatcherError, match=r"conflicts in engine/core\.py"):
        project.app.patch("engine#7", moves=NO_MOVES)

    config = str(project.directory / "watcher.toml")
    assert run(["--config", config, "show", "engine#7", "--patch"]) == 1
    assert capsys.readouterr().out == ""


def test_the_command_prints_the_patch_byte_by_byte(
    project: Project, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    config = str(project.directory / "watcher.toml")
    assert run(["--config", config, "show", "engine#2", "--patch"]) == 0

    patch = project.app.patch("engine#2", moves=NO_MOVES)
    assert capsysbinary.readouterr().out == patch.text.encode()


def test_a_wheel_is_patched_in_site_packages_without_tests(
    upstream: GitRepo, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project", upstream)
    site = project.directory / ".venv/lib/python3.11/site-packages"
    project.write(f"{site}/engine/core.py", CORE).write(f"{site}/engine/__init__.py", "")
    project.write(f"{site}/engine-1.0.dist-info/METADATA", "Name: engine\nVersion: 1.0\n")
    text = f"""
[[pins]]
name = "engine"
upstream = "acme/engine"
source = "installed:engine"
git = "{upstream.path.as_uri()}"
api = "off"
"""
    project.write("watcher.toml", text).sync()

    patch = project.app.patch("engine#2", moves=NO_MOVES)
    item = shown(project, "engine#2")

    assert "tests/test_core.py" not in patch.text.partition("diff --git")[2]
    assert f"patch -p1 -d {site}" in patch.text
    subprocess.run(["git", "apply", "-"], cwd=site, input=patch.text.encode(), check=True)
    assert (site / "engine/core.py").read_text() == core(l2="value_2 = 20")
    assert route(item, RouteKind.RELEASE).commands == ("pip install engine==1.0.1",)
    assert f"| patch -p1 -d {site}" in route(item, RouteKind.CHERRY_PICK).commands[0]


def test_commands_are_printed_on_one_line(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(project.directory / "watcher.toml")
    assert run(["--config", config, "show", "engine#5"]) == 0

    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    pick = route(shown(project, "engine#5"), RouteKind.CHERRY_PICK)
    assert pick.commands[0] in lines
    assert f"cherry-pick: {pick.detail}; rebuild after it" in lines
