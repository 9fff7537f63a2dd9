"""Every entry of the shipped catalogue fires on its own message and stays silent on a near miss."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import watcher
from watcher.advisories.match import for_symptom, hazards
from watcher.advisories.parse import merge, parse_catalogue
from watcher.errors import ConfigError
from watcher.facts.symptom import Symptom
from watcher.facts.usage import Setting, Source, Usage

FOLDER = Path(watcher.__file__).parent / "advisories" / "catalogue"
CATALOGUE = merge(
    parse_catalogue(path.read_text(encoding="utf-8"), origin=path.name)
    for path in sorted(FOLDER.glob("*.toml"))
)
EXAMPLES = tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))
FIRES = [(slug, line) for slug, one in EXAMPLES.items() for line in one["fires"]]
SILENT = [(slug, line) for slug, one in EXAMPLES.items() for line in one["silent"]]


def found(line: str, **usage: str) -> list[str]:
    symptom = Symptom(errors=(line,))
    return [
        match.advisory.slug for match in for_symptom(CATALOGUE, symptom, make_usage(**usage), [])
    ]


def make_usage(**settings: str) -> Usage:
    rows = (
        Setting(key=key, value=value, source=Source("run.sh")) for key, value in settings.items()
    )
    return Usage(settings=tuple(rows))


def test_every_entry_that_reads_symptoms_has_examples() -> None:
    slugs = {advisory.slug for advisory in CATALOGUE if advisory.patterns}

    assert slugs == set(EXAMPLES)


@pytest.mark.parametrize(("slug", "line"), FIRES)
def test_an_entry_recognises_its_message(slug: str, line: str) -> None:
    assert slug in found(line)


@pytest.mark.parametrize(("slug", "line"), SILENT)
def test_an_entry_is_silent_on_a_near_miss(slug: str, line: str) -> None:
    assert slug not in found(line)


def hazard_slugs(packages: list[tuple[str, str]], settings: dict[str, str]) -> list[str]:
    rows = [
        Setting(key=key, value=value, source=Source("run.sh")) for key, value in settings.items()
    ]
    return [
        match.advisory.slug for match in hazards(CATALOGUE, Usage(settings=tuple(rows)), packages)
    ]


RESHARD = {
    "fsdp_config.use_orig_params": "True",
    "actor.fsdp_config.reshard_after_forward": "False",
}


def test_a_hazard_shows_inside_its_version_range() -> None:
    assert "torch-reshard-none-gradients" in hazard_slugs([("torch", "2.3.1+cu121")], RESHARD)


@pytest.mark.parametrize("version", ["2.4.0", "2.2.2", "not a version"])
def test_a_hazard_never_shows_outside_its_range(version: str) -> None:
    assert hazard_slugs([("torch", version)], RESHARD) == []


def test_a_hazard_needs_its_settings() -> None:
    settings = RESHARD | {"actor.fsdp_config.reshard_after_forward": "True"}

    assert hazard_slugs([("torch", "2.3.1")], settings) == []


def test_two_limits_that_contradict_are_told_without_a_symptom() -> None:
    settings = {
        "actor_rollout_ref.rollout.max_model_len": "512",
        "data.max_prompt_length": "1024",
    }

    assert "model-length-hazard" in hazard_slugs([], settings)


def test_a_reward_model_that_takes_less_is_told_without_a_symptom() -> None:
    settings = {
        "reward_model.enable": "true",
        "reward_model.max_length": "1024",
        "data.max_response_length": "4096",
    }

    assert "reward-model-length" in hazard_slugs([], settings)


def test_a_version_outside_the_range_silences_a_symptom_match() -> None:
    symptom = Symptom(errors=("AssertionError: grad is None",), versions=(("torch", "2.6.0"),))

    assert for_symptom(CATALOGUE, symptom, Usage(), []) == []


def test_a_message_that_only_reports_a_death_comes_last() -> None:
    symptom = Symptom(
        errors=("OSError: [Errno 98] address already in use",),
        lines=(
            "The actor died unexpectedly before finishing this task. Worker unexpectedly exits",
        ),
    )

    slugs = [match.advisory.slug for match in for_symptom(CATALOGUE, symptom, Usage(), [])]

    assert slugs == ["port-in-use", "ray-actor-died"]


BROKEN = [
    ("[[advisory]]\nslug = 'x y'\n", "`title` is missing"),
    ("[[advisory]]\nfoo = 1\n", "unknown key `foo`"),
    (
        "\n\n[[advisory]]\nslug='a-b'\ntitle='t'\nremedy='r'\nsource='s'\nconfidence='sure'\n",
        "sure",
    ),
    ("[advisory\n", "not TOML"),
    (
        (
            "[[advisory]]\nslug='a-b'\ntitle='t'\nremedy='r'\nsource='s'\nconfidence='usual'\n"
            "severity='crash'\nwords=['port + ']\n"
        ),
        "words `port",
    ),
    ("advisory = 3\n", "not a list"),
]


@pytest.mark.parametrize(("text", "words"), BROKEN)
def test_a_wrong_entry_file_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=r"mine\.toml") as refused:
        parse_catalogue(text, origin="mine.toml")

    assert words in str(refused.value)


def test_the_line_of_the_wrong_entry_is_named() -> None:
    with pytest.raises(ConfigError, match=r"mine\.toml:3"):
        parse_catalogue("# one\n\n[[advisory]]\nslug = 'x'\n", origin="mine.toml")


def test_a_later_file_replaces_an_entry() -> None:
    text = (
        "[[advisory]]\nslug='port-in-use'\ntitle='mine'\nremedy='r'\nsource='s'\n"
        "confidence='certain'\nseverity='crash'\npatterns=['our own words']\n"
    )

    merged = merge([list(CATALOGUE), parse_catalogue(text, origin="mine.toml")])

    assert [one.title for one in merged if one.slug == "port-in-use"] == ["mine"]


def test_a_refusal_stays_one_short_line_whatever_the_entry_holds() -> None:
    slug = "e\\n" * 2_000
    with pytest.raises(ConfigError) as refused:
        parse_catalogue(f'[[advisory]]\nslug = "{slug}"\n', origin="mine.toml")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500
