"""A damaged mirror, a full disk, a very large diff: one line, and nothing else is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Watcher, watcher  # noqa: F401  the fixture
from tests.stories import Project, one_fix_behind


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return one_fix_behind(tmp_path)


def damage(mirror: Path) -> None:
    """Overwrite the end of every pack and loose object."""
    for path in [*mirror.glob("objects/pack/*.pack"), *mirror.glob("objects/??/*")]:
        path.chmod(0o600)
        raw = bytearray(path.read_bytes())
        raw[len(raw) // 3 :] = os.urandom(len(raw) - len(raw) // 3)
        path.write_bytes(raw)


def test_a_damaged_mirror_is_named_with_its_mend_and_built_again(
    watcher: Watcher,  # noqa: F811  the fixture
    project: Project,
) -> None:
    config = ("--config", str(project.directory / "watcher.toml"))
    project.sync()
    project.close()
    (mirror,) = (project.directory / ".watcher" / "mirrors").glob("*.git")
    damage(mirror)

    outcome = watcher(*config, "list")

    assert outcome.status == 1
    assert "the mirror is damaged" in outcome.first
    assert f"delete {mirror}" in " ".join(outcome.out.split())
    for path in sorted(mirror.rglob("*"), reverse=True):
        path.chmod(0o700)
        path.rmdir() if path.is_dir() else path.unlink()
    mirror.rmdir()
    assert watcher(*config, "sync").status == 0
    assert "engine#1" in watcher(*config, "list", "--all").out


def test_a_very_large_diff_is_left_out_of_one_file_of_one_change(project: Project) -> None:
    line = "value = compute(config.size) + 1234567890\n"
    large = line * (50 * 1024 * 1024 // len(line))
    project.upstream.squash("[data] feat: a table", 2, {"engine/table.py": large})
    project.upstream.squash(
        "[core] fix: after it", 3, {"engine/step.py": "def step():\n    pass\n"}
    )

    project.sync()
    items = project.items()

    assert set(items) == {"engine#1", "engine#2", "engine#3"}
    changes = {one.number: one for one in project.app.store.changes(project.name)}
    (table,) = changes[2].diff.files
    assert table.omitted
    assert not any(file.omitted for number in (1, 3) for file in changes[number].diff.files)
