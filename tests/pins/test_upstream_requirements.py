"""What an upstream requires, by its own files."""

from __future__ import annotations

import pytest

from watcher.pins.upstream_requirements import (
    UpstreamRequirement,
    is_requirement_file,
    parse_upstream_requirements,
)

SETUP = """
from setuptools import setup
BASE = [
    "ray[default]>=2.41.0",
    # 5.6.0 is broken:
    # use 5.6.1.
    "transformers>=5.5,!=5.6.0",
]
EXTRA = ["engine>=0.8,<=0.12"]  # newer ones change the loader
extras = {"engine": EXTRA, "all": BASE + EXTRA + ["torch==2.9.1"]}
setup(name="x", install_requires=BASE, extras_require=extras)
"""


def parse(path: str, text: str) -> dict[tuple[str, str | None], UpstreamRequirement]:
    return {(one.package, one.extra): one for one in parse_upstream_requirements({path: text})}


def test_lists_of_setup_are_read_through_names_and_sums() -> None:
    found = parse("setup.py", SETUP)

    assert found["ray", None].specifier == ">=2.41.0"
    assert found["engine", "engine"].specifier == "<=0.12,>=0.8"
    assert found["torch", "all"].specifier == "==2.9.1"


def test_comments_beside_and_right_above_come_along() -> None:
    found = parse("setup.py", SETUP)

    assert found["transformers", None].comment == "5.6.0 is broken: use 5.6.1."
    assert found["engine", "engine"].comment == "newer ones change the loader"
    assert found["engine", "engine"].line == 9


def test_pyproject_gives_dependencies_and_extras_with_lines() -> None:
    text = '[project]\ndependencies = [\n  "numpy>=2",  # since two\n]\n'
    text += '[project.optional-dependencies]\nfast = ["engine==1.0"]\n'
    found = parse("pyproject.toml", text)

    assert (found["numpy", None].line, found["numpy", None].comment) == (3, "since two")
    assert found["engine", "fast"].line == 6


def test_setup_cfg_gives_both_lists() -> None:
    text = "[options]\ninstall_requires =\n    numpy>=2\n"
    text += "[options.extras_require]\nfast =\n    engine\n"
    found = parse("setup.cfg", text)

    assert set(found) == {("numpy", None), ("engine", "fast")}


@pytest.mark.parametrize(
    ("path", "extra"),
    [
        ("requirements.txt", None),
        ("requirements/common.txt", None),
        ("requirements/cuda.txt", "cuda"),
        ("requirements-npu.txt", "npu"),
    ],
)
def test_a_requirement_file_is_an_extra_by_its_name(path: str, extra: str | None) -> None:
    found = parse(path, "# for all\n-r other.txt\ntorch == 2.9.0 # pinned for the kernels\n")

    assert found["torch", extra].specifier == "==2.9.0"
    assert found["torch", extra].comment == "pinned for the kernels"


def test_requirements_of_other_platforms_do_not_count() -> None:
    text = 'a; platform_machine == "aarch64"\nb; sys_platform == "linux"\nc; extra == "x"\n'

    assert set(parse("requirements.txt", text)) == {("b", None)}


def test_files_of_tests_and_examples_are_no_requirements_of_the_package() -> None:
    assert is_requirement_file("requirements/cuda.txt")
    assert not is_requirement_file("examples/setup.py")
    assert not is_requirement_file("requirements/test/cuda.txt")


@pytest.mark.parametrize("path", ["setup.py", "pyproject.toml", "setup.cfg", "requirements.txt"])
@pytest.mark.parametrize(
    "text",
    ["(" * 5000, "[" * 5000, "\x00", "a = " * 900, "[project]\ndependencies = 3", "setup(**{})",
     "A = A + A\nsetup(install_requires=A)", "x>=" + "9" * 4000, "[options\n", "é\ud800==1"],
)  # fmt: skip
def test_hostile_files_give_nothing(path: str, text: str) -> None:
    assert all(one.package for one in parse_upstream_requirements({path: text}))
