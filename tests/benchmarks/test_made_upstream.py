"""The made-up upstreams: the same every time, of the wanted size, with what real ones have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.bench import LATER
from tests.benchmarks.made_upstream import write_upstream
from tests.benchmarks.project import Upstream
from tests.benchmarks.shapes import SHAPES, Shape, scaled

_CHANGES = 60


def _small(key: str) -> Shape:
    return replace(scaled(SHAPES[key], _CHANGES), files=80, reverts=0.2)


def _made(directory: Path, key: str) -> Upstream:
    shape = _small(key)
    write_upstream(directory, shape, _CHANGES)
    return Upstream(shape.name, directory.as_uri())


@pytest.fixture(scope="module")
def pytorch(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    return _made(tmp_path_factory.mktemp("made") / "pytorch.git", "pytorch")


def test_it_has_so_many_files_and_changes(pytorch: Upstream) -> None:
    first = pytorch.git("rev-list", "--max-parents=0", "main")

    assert len(pytorch.git("ls-tree", "-r", "--name-only", first).splitlines()) == 80
    assert pytorch.git("rev-list", "--count", f"{first}..main") == str(_CHANGES)


def test_it_is_the_same_every_time(pytorch: Upstream, tmp_path: Path) -> None:
    again = _made(tmp_path / "again.git", "pytorch")

    assert again.git("for-each-ref") == pytorch.git("for-each-ref")


def test_its_objects_are_whole(pytorch: Upstream) -> None:
    assert pytorch.git("fsck", "--strict", "--no-progress") == ""


def test_a_revert_names_a_commit_and_restores_its_files(pytorch: Upstream) -> None:
    log = pytorch.git("log", "--first-parent", "--format=%H %s%n%b", "--grep=This reverts commit")
    taken_back = [
        line.split()[-1].rstrip(".") for line in log.splitlines() if "This reverts" in line
    ]
    reverts = [line.split()[0] for line in log.splitlines() if ' Revert "' in line]

    assert taken_back
    for revert, target in zip(reverts, taken_back, strict=True):
        restored = pytorch.git("diff-tree", "-r", "--name-only", "--no-commit-id", revert)
        for path in restored.splitlines():
            now = pytorch.git("rev-parse", f"{revert}:{path}")
            assert now == pytorch.git("rev-parse", f"{target}^:{path}")


def test_pytorch_writes_as_its_bot_does(pytorch: Upstream) -> None:
    log = pytorch.git("log", "--format=%B", "main")

    assert "Pull Request resolved: https://github.com/pytorch/pytorch/pull/" in log
    assert "ghstack-source-id: " in log


def test_a_release_branch_holds_fixes_of_the_line(pytorch: Upstream) -> None:
    picked = pytorch.git("log", "--format=%s", "main..release/1.0").splitlines()
    landed = pytorch.git("log", "--format=%s", "main").splitlines()

    assert picked
    assert set(picked) <= set(landed)


@pytest.mark.parametrize("key", ["verl", "vllm"])
def test_other_shapes_squash(tmp_path: Path, key: str) -> None:
    made = _made(tmp_path / "made.git", key)
    titles = made.git("log", "--first-parent", "--format=%s", "-n", str(_CHANGES), "main")

    assert all(title.rstrip(")").rpartition("#")[2].isdigit() for title in titles.splitlines())


def test_a_range_of_a_wanted_length(pytorch: Upstream) -> None:
    start = pytorch.before(25)

    assert pytorch.git("rev-list", "--count", "--first-parent", f"{start}..main") == "25"


def test_a_held_back_branch_moves_on(pytorch: Upstream, tmp_path: Path) -> None:
    held = pytorch.held_back(tmp_path / "held.git", 10)
    before = held.git("rev-list", "--count", "main")
    held.move_on(pytorch, 0)

    assert int(held.git("rev-list", "--count", "main")) - int(before) == 10
    assert sum(LATER) > 0
