"""Local causes beyond the catalogue: words, keys, versions, own files."""

from __future__ import annotations

import pytest

from watcher.advisories.keys import key_reason, nearest_keys, refused_keys
from watcher.advisories.match import hazards
from watcher.advisories.own_code import own_code_match
from watcher.advisories.parse import parse_catalogue, parse_words
from watcher.advisories.ranges import listed_versions, range_advisory, range_match
from watcher.facts.symptom import Frame, Symptom
from watcher.facts.usage import Usage
from watcher.pins.upstream_requirements import UpstreamRequirement
from watcher.symptom.parse import parse_symptom

# --- words ---


def test_words_meet_in_any_order_within_a_sentence() -> None:
    words = parse_words("port|端口 + taken|占")

    assert words.weight_in("somebody has taken the port") == len("taken") + len("port")
    assert words.weight_in("端口被占了") == 3 * 3


@pytest.mark.parametrize("sentence", ["the port is closed", "an airport was mistaken", ""])
def test_words_need_every_group_at_a_words_beginning(sentence: str) -> None:
    assert parse_words("port + taken").weight_in(sentence) == 0


# --- keys ---

KNOWN = ["actor.optim.lr", "actor.ppo_epochs", "critic.ppo_epochs", "rollout.name"]


def test_the_nearest_key_is_beside_the_wrong_one() -> None:
    assert nearest_keys("actor.ppo_epoch", KNOWN)[0] == "actor.ppo_epochs"


def test_a_key_that_moved_is_found_by_its_last_name() -> None:
    assert nearest_keys("actor.optimizer.lr", KNOWN) == ["actor.optim.lr"]


def test_a_key_unlike_any_has_no_nearest() -> None:
    assert nearest_keys("zzz.qqq", KNOWN) == []
    assert "knows no key" in key_reason("zzz.qqq", KNOWN, "engine v1")


def test_a_key_that_the_pin_knows_is_told_as_such() -> None:
    assert "another version" in key_reason("rollout.name", KNOWN, "engine v1")


def test_refused_keys_are_read_from_hydras_messages() -> None:
    lines = [
        "Could not override 'actor.ppo_epoch'.",
        "Key 'ppo_epoch' is not in struct",
        "    full_key: actor.ppo_epoch",
    ]

    assert refused_keys(lines) == ["ppo_epoch", "actor.ppo_epoch"]


# --- versions ---

REQUIREMENT = UpstreamRequirement(
    package="tensordict",
    specifier=">=0.8.0,!=0.9.0",
    comment="0.9.0 is broken",
    path="setup.py",
    line=34,
)


def test_a_version_outside_an_upstreams_range_names_its_line_and_comment() -> None:
    advisory = range_advisory(REQUIREMENT, "0.1.2", "engine v1.0", "https://x")
    match = range_match(advisory, REQUIREMENT, "0.1.2", parse_symptom("tensordict fails"))

    assert advisory.title == (
        "tensordict 0.1.2 is outside the range that engine v1.0 asks for: >=0.8.0,!=0.9.0"
    )
    assert advisory.source == "engine v1.0's setup.py:34"
    assert match is not None
    assert "the author's comment: 0.9.0 is broken" in match.reasons


def test_a_symptom_of_something_else_is_not_told_about_versions() -> None:
    advisory = range_advisory(REQUIREMENT, "0.1.2", "engine v1.0", None)

    assert range_match(advisory, REQUIREMENT, "0.1.2", parse_symptom("port in use")) is None
    assert range_match(advisory, REQUIREMENT, "0.1.2", None) is not None


@pytest.mark.parametrize(
    ("words", "log"),
    [
        ("tensordict 是 0.1.2，报错", None),
        ("with tensordict==0.1.2 it fails", None),
        ("it fails", ["$ pip list", "tensordict           0.1.2", "KeyError: 'x'"]),
    ],
)
def test_versions_are_read_from_words_and_package_lists(words: str, log: list[str] | None) -> None:
    symptom = parse_symptom(words, log)

    assert listed_versions(symptom, ["tensordict"]) == {"tensordict": "0.1.2"}


# --- own files ---


def crash(*paths: str) -> Symptom:
    frames = tuple(Frame(path, "run", 7) for path in paths)
    return Symptom(errors=("KeyError: 'answer'",), frames=frames)


def test_an_error_in_an_own_file_is_told_weakly() -> None:
    match = own_code_match(
        crash("/home/ada/venv/site-packages/torch/x.py", "/home/ada/my/reward.py")
    )

    assert match is not None
    assert "/home/ada/my/reward.py:7" in match.advisory.title
    assert match.advisory.is_last


@pytest.mark.parametrize(
    "path",
    [
        "/opt/venv/lib/python3.12/site-packages/mylib/x.py",
        "/workspace/verl/verl/trainer/x.py",
        "/usr/lib/python3.12/json/decoder.py",
        "<string>",
        "csrc/kernel.cu",
    ],
)
def test_installed_files_and_upstreams_are_not_the_users(path: str) -> None:
    assert own_code_match(crash(path)) is None


# --- versions that only one of the two schemes knows ---

RANGED = """
[[advisory]]
slug = "ranged"
title = "t"
remedy = "r"
source = "s"
confidence = "certain"
severity = "crash"
hazard = true
packages = { engine = ">=1.2,<2" }
"""


@pytest.mark.parametrize(
    ("version", "is_told"),
    [
        ("1.2.1", True),
        ("1.3.0rc1", True),
        ("1.3.0-alpha.beta.1", True),
        ("v1.4.0-exp.sha.5114f85", True),
        ("2.1.0-alpha.beta.1", False),
        ("1.1.0", False),
        ("nightly", False),
    ],
)
def test_ranges_hold_for_python_and_semantic_versions(version: str, *, is_told: bool) -> None:
    catalogue = parse_catalogue(RANGED, origin="mine.toml")

    assert bool(hazards(catalogue, Usage(), [("engine", version)])) is is_told
