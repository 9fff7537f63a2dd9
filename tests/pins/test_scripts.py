"""Shell scripts and Dockerfiles name what they install."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import awkward, robust
from watcher.facts.usage import Source
from watcher.pins.images import read_image
from watcher.pins.records import Found, NotFound, choose
from watcher.pins.scripts import parse_script

SHA = "1234567890123456789012345678901234567890"
SSH = "git@github.com:a/verl.git"
DISTS = ["verl", "vllm", "torch"]


def refs(text: str) -> list[tuple[str, str]]:
    readings = parse_script(text, "setup.sh", DISTS)
    return [(one.dist, one.ref if isinstance(one, Found) else "-") for one in readings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"export VERL_COMMIT={SHA}", ("verl", SHA)),
        ("ARG VLLM_VERSION=0.8.5", ("vllm", "0.8.5")),
        ("ENV VLLM_TAG v0.8.5", ("vllm", "v0.8.5")),
        ("VERL_BRANCH=main", ("verl", "-")),
        (f"git clone https://github.com/a/verl && cd verl && git checkout {SHA}", ("verl", SHA)),
        ("git clone --depth 1 --branch v0.4.1 https://github.com/a/verl x", ("verl", "v0.4.1")),
        (f"git clone https://github.com/a/verl w\ngit -C w reset --hard {SHA}", ("verl", SHA)),
        (f"git clone {SSH}\ngit fetch origin {SHA}\ngit checkout FETCH_HEAD", ("verl", SHA)),
        ("git clone https://github.com/a/verl", ("verl", "-")),
        (f"RUN pip install --no-cache-dir 'git+https://github.com/a/verl@{SHA}'", ("verl", SHA)),
        ('uv pip install -r base.txt "torch==2.6.0" --index-url https://x/i', ("torch", "2.6.0")),
        (f"pip install --extra-index-url=https://wheels.vllm.ai/{SHA} x==1", ("vllm", SHA)),
        ("FROM --platform=linux/amd64 vllm/vllm-openai:v0.8.5 AS base", ("vllm", "0.8.5")),
    ],
)  # fmt: skip
def test_a_command_names_its_commit_or_release(text: str, expected: tuple[str, str]) -> None:
    assert expected in refs(text)


@pytest.mark.parametrize(
    "text",
    [
        "git",
        "git clone",
        "git checkout v0.4.1",
        "git clone https://github.com/a/other\ngit checkout -- setup.py",
        "git fetch --all\ngit checkout FETCH_HEAD",
        "cd\npip install -r requirements.txt\npip install .\n",
        "VERL_REF=$OTHER",
        "python -m build",
    ],
)
def test_commands_that_pin_nothing_tell_nothing(text: str) -> None:
    assert [one for one in refs(text) if one[0] in DISTS] == []


def test_variables_are_put_in_where_the_file_sets_them() -> None:
    text = (
        "V=0.8.5\nR=https://github.com/a/verl\nS=${UNSET:-v0.4.1}\n"
        "pip install vllm==$V torch==$T\ngit clone -b ${S} $R\n"
    )

    assert refs(text) == [("vllm", "0.8.5"), ("verl", "v0.4.1")]


def test_each_checkout_belongs_to_its_clone() -> None:
    text = (
        "git clone https://github.com/a/verl\ngit clone https://github.com/a/vllm\n"
        "cd verl\ngit checkout v0.4.1\ncd ../vllm\ngit checkout v0.8.5\n"
    )

    assert refs(text) == [("verl", "v0.4.1"), ("vllm", "v0.8.5")]


def test_a_reading_tells_its_line() -> None:
    (reading,) = parse_script("#!/bin/bash\n\nVLLM_REF=v0.8.5\n", "setup.sh", DISTS)

    assert str(reading.where) == "setup.sh:3"


@pytest.mark.parametrize(
    ("image", "ref"),
    [
        ("vllm/vllm-openai:v0.8.5", "0.8.5"),
        ("registry.example.org:5000/vllm/vllm-openai:v0.8.5.post1", "0.8.5.post1"),
        ("vllm/vllm-openai:v0.8.5-cu124", "0.8.5"),
        ("my/trainer:vllm0.8.5-torch2.6", "0.8.5"),
    ],
)
def test_an_image_tag_that_is_a_release_names_it(image: str, ref: str) -> None:
    readings = read_image(image, Source("Dockerfile", 1), ["vllm"])

    assert [one.ref for one in readings if isinstance(one, Found)] == [ref]


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("vllm/vllm-openai:latest", "moves"),
        ("vllm/vllm-openai", "no tag"),
        ("vllm/vllm-openai@sha256:0123", "digest"),
        ("vllm/vllm-openai:nightly-0123456789", "moves"),
        ("vllm/vllm-openai:0.8", "series"),
        ("vllm/vllm-openai:v0.8.5-0123456789", "another build"),
        ("vllm/vllm-openai:v0.8.5-dev", "another build"),
        ("my/app:vllm0.8", "series"),
        ("vllm/vllm-openai:$TAG", "set elsewhere"),
    ],
)
def test_an_image_that_names_no_release_is_kept_with_its_reason(image: str, reason: str) -> None:
    (reading,) = read_image(image, Source("Dockerfile", 1), ["vllm"])

    assert isinstance(reading, NotFound)
    assert reason in reading.reason


def test_a_development_image_of_a_release_is_that_release() -> None:
    readings = read_image("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel", Source("D"), ["pytorch"])

    assert [one.ref for one in readings if isinstance(one, Found)] == ["2.6.0"]


def test_a_commit_says_more_than_a_version() -> None:
    text = f"pip install vllm==0.8.5 --extra-index-url https://wheels.vllm.ai/{SHA}"

    chosen = choose(list(parse_script(text, "setup.sh", DISTS)))

    assert isinstance(chosen, Found)
    assert chosen.ref == SHA


def test_two_different_refs_are_refused_with_both_places() -> None:
    text = "git clone -b v0.4.1 https://github.com/a/verl\nVERL_REF=v0.5.0\n"

    chosen = choose(list(parse_script(text, "setup.sh", DISTS)))

    assert isinstance(chosen, NotFound)
    assert "setup.sh:1" in chosen.reason
    assert "setup.sh:2" in chosen.reason


@robust
@given(
    st.text(awkward, max_size=80),
    st.sampled_from(["", "git clone ", "FROM ", "V=", "pip install "]),
)
def test_no_text_breaks_the_parser(text: str, start: str) -> None:
    parse_script(f"{start}{text}\n{start}", "x.sh", DISTS)
