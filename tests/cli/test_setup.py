"""``watcher init`` puts no second configuration before the one that a project has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Watcher


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("watcher.toml", "", "watcher.toml: is there already"),
        ("pyproject.toml", "[tool.watcher]\n", "pyproject.toml: holds a configuration already"),
    ],
)
def test_a_configuration_is_not_overshadowed(
    watcher: Watcher, tmp_path: Path, file: str, text: str, what: str
) -> None:
    (tmp_path / file).write_text(text)

    refused, forced = watcher("init", tmp_path), watcher("init", "--force", tmp_path)

    assert (refused.status, forced.status) == (2, 0)
    assert f"{what} (use --force or --print)" in refused.err
    assert "[store]" in (tmp_path / "watcher.toml").read_text()


def test_another_tools_pyproject_is_no_configuration(watcher: Watcher, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")

    assert watcher("init", tmp_path).status == 0
