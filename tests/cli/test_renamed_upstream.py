"""A pin that calls its upstream by an earlier name works on, and is told the present one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.cli.conftest import Watcher
from tests.stories import Project
from watcher.pipeline.upstream_name import note_name

TOLD = "acme/engine is now robots/engine: name that in watcher.toml"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    upstream = GitRepo(tmp_path / "upstream")
    upstream.commit({"engine/step.py": "pass\n"}, "first")
    upstream.tag("v1.0.0")
    project = Project(tmp_path / "project", upstream).configure("v1.0.0")
    project.sync()
    return project


def learn_name(project: Project, present: str) -> Path:
    """The configuration of the project, once GitHub has told a name."""
    note_name(project.app.store, project.name, present)
    project.close()
    return project.directory / "watcher.toml"


def test_pins_and_doctor_name_the_change_to_make(watcher: Watcher, project: Project) -> None:
    config = learn_name(project, "robots/engine")

    pins = watcher("--config", config, "pins", "--json")

    assert json.loads(pins.out)["pins"][0]["renamed_to"] == "robots/engine"
    assert TOLD in watcher("--config", config, "pins").out
    assert TOLD in watcher("--config", config, "doctor").out


def test_a_name_that_came_back_is_told_no_more(watcher: Watcher, project: Project) -> None:
    learn_name(project, "robots/engine")
    config = learn_name(project, "Acme/Engine")

    pins = watcher("--config", config, "pins", "--json")

    assert json.loads(pins.out)["pins"][0]["renamed_to"] is None
