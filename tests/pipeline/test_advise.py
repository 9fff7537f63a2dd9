"""Local causes and hazards on a real project: settings, versions, keys, the user's own entries."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.stories import Project
from watcher.app import App
from watcher.errors import ConfigError, UsageError
from watcher.facts.item import Item, Tier
from watcher.facts.kind import Kind
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.pinned import NO_MOVES
from watcher.symptom.parse import parse_symptom

SETUP = """
from setuptools import setup
setup(
    name="engine",
    install_requires=[
        # 0.9.0 loses keys, fixed in 0.9.1
        "tensordict>=0.8.0,!=0.9.0",
    ],
)
"""
CONFIG = "actor:\n  strategy: fsdp\n  lr: 1e-6\n"
MINE = """
[[advisory]]
slug = "our-proxy"
title = "Our proxy is in the way"
remedy = "Unset it."
source = "our wiki"
confidence = "certain"
severity = "crash"
patterns = ["squid says no"]
"""


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    made = GitRepo(tmp_path_factory.mktemp("upstream") / "engine.git")
    files: dict[str, str | bytes | None] = {"setup.py": SETUP, "engine/a.py": "x = 1\n"}
    made.commit({**files, "verl/trainer/config/ppo_trainer.yaml": CONFIG}, "Start (#1)")
    made.tag("v1.0")
    made.commit({"engine/a.py": "x = 2\n"}, "[fsdp] fix: crash in a (#2)")
    return made


@pytest.fixture(scope="module")
def synced(upstream: GitRepo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was synced once; every test works on its own copy."""
    made = Project(tmp_path_factory.mktemp("mine"), upstream).configure("v1.0")
    made.sync()
    made.close()
    return made.directory


@pytest.fixture
def project(synced: Path, upstream: GitRepo, tmp_path: Path) -> Iterator[Project]:
    shutil.copytree(synced, tmp_path / "mine")
    made = Project(tmp_path / "mine", upstream)
    yield made
    made.close()


def install(project: Project, name: str, version: str) -> None:
    site = ".venv/lib/python3.12/site-packages"
    metadata = f"Name: {name}\nVersion: {version}\n"
    project.write(f"{site}/{name}-{version}.dist-info/METADATA", metadata)


def hazards(app: App) -> dict[str, Item]:
    which = ListFilter(kinds=frozenset({Kind.ADVISORY}))
    return {item.id: item for item in app.list(which, moves=NO_MOVES).items}


def check(app: App, words: str, log: str | None = None) -> list[Item]:
    symptom = parse_symptom(words, None if log is None else log.splitlines())
    return list(app.check(symptom, moves=NO_MOVES).items)


def test_an_installed_version_outside_the_upstreams_range_is_a_hazard(project: Project) -> None:
    install(project, "tensordict", "0.9.0")
    project.configure("v1.0")

    item = hazards(project.app)["advisory:engine-needs-tensordict"]

    assert "tensordict 0.9.0 is outside the range that engine v1.0 asks for" in item.title
    assert "setup.py" in dict(item.extra)["source"]
    assert "loses keys" in dict(item.extra)["note"]


def test_a_version_inside_the_range_is_no_hazard(project: Project) -> None:
    install(project, "tensordict", "0.9.1")
    project.configure("v1.0")

    assert hazards(project.app) == {}


def test_a_version_that_the_log_lists_explains_the_symptom_first(project: Project) -> None:
    project.configure("v1.0")
    log = "NotImplementedError: TensorDict does not support it\n$ pip list\ntensordict 0.1.2\n"

    first = check(project.app, "a crash", log)[0]

    assert first.id == "advisory:engine-needs-tensordict"
    assert first.tier is Tier.LIKELY


def test_contradicting_settings_are_told_without_a_symptom(project: Project) -> None:
    project.write(
        "run.sh", "python -m engine data.max_prompt_length=1024 rollout.max_model_len=512\n"
    )
    project.configure("v1.0", usage='config = ["run.sh"]')

    item = hazards(project.app)["advisory:model-length-hazard"]

    assert "rollout.max_model_len=512, data.max_prompt_length=1024" in item.evidence[0].detail


def test_a_local_cause_comes_before_upstream_and_demotes_it(project: Project) -> None:
    project.configure("v1.0")

    items = check(project.app, "crash in a", "OSError: [Errno 98] address already in use")

    assert items[0].id == "advisory:port-in-use"
    assert all(item.tier is not Tier.LIKELY for item in items[1:])


def test_an_error_in_the_users_own_file_is_only_a_hint(project: Project) -> None:
    project.configure("v1.0")
    log = 'Traceback (most recent call last):\n  File "/me/mine.py", line 3, in run\nKeyError: 1\n'

    first = check(project.app, "it stops", log)[0]

    assert (first.id, first.tier) == ("advisory:raised-in-own-file", Tier.POSSIBLE)


def test_the_users_own_advisories_count_like_shipped_ones(project: Project) -> None:
    project.write("advisories/ours.toml", MINE)
    project.configure("v1.0", more='[advisories]\nfiles = ["advisories/*.toml"]')

    assert check(project.app, "squid says no")[0].id == "advisory:our-proxy"


def test_a_wrong_file_of_the_users_is_refused_with_its_line(project: Project) -> None:
    project.write("ours.toml", "\n[[advisory]]\nslug = 'x-y'\n")
    project.configure("v1.0", more='[advisories]\nfiles = ["ours.toml"]')

    with pytest.raises(ConfigError, match=r"ours\.toml:2"):
        _ = project.app.advisories


def test_an_unknown_key_is_told_with_the_nearest_that_the_pin_knows(project: Project) -> None:
    project.name = "verl-project/verl"
    project.write("run.sh", "python -m verl.trainer.main_ppo actor.stratagy=fsdp2 actor.lr=1\n")
    project.configure("v1.0", usage='config = ["run.sh"]').sync()

    hazard = hazards(project.app)["advisory:unknown-key-actor-stratagy"]
    told = check(project.app, "Could not override 'actor.stratagy'")[0]

    assert dict(hazard.extra)["remedy"].startswith("Write `actor.strategy`")
    assert told.id == "advisory:hydra-unknown-key"
    assert any("`actor.strategy`" in one.detail for one in told.evidence)


def test_an_advisory_is_shown_by_its_name(project: Project) -> None:
    project.configure("v1.0")

    answer, report = project.app.show("advisory:port-in-use", moves=NO_MOVES)

    assert answer.items[0].id == "advisory:port-in-use"
    assert "ss -ltnp" in report.action
    with pytest.raises(UsageError, match="no such advisory"):
        project.app.show("advisory:none", moves=NO_MOVES)
