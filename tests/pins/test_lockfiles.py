"""Lock files of every tool name the commits and versions that they lock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import awkward, robust
from watcher.errors import ConfigError
from watcher.pins.lockfiles import parse_lock
from watcher.pins.records import CheckoutAt, Found, NotFound, Reading

SHA = "1234567890123456789012345678901234567890"
GIT = "https://github.com/volcengine/verl"


def only(text: str, path: str, dist: str = "verl") -> Reading:
    (reading,) = [one for one in parse_lock(text, path) if one.dist == dist]
    return reading


PACKAGE = '[[package]]\nname = "verl"\nversion = "0.4.1"\n'
GIT_LOCKS = {
    "uv.lock": f'{PACKAGE}source = {{ git = "{GIT}?rev=main#{SHA}" }}',
    "poetry.lock": (
        f'{PACKAGE}[package.source]\ntype = "git"\nurl = "{GIT}.git"\n'
        f'reference = "main"\nresolved_reference = "{SHA}"'
    ),
    "pdm.lock": f'{PACKAGE}git = "{GIT}"\nref = "main"\nrevision = "{SHA}"',
    "pylock.toml": (
        '[[packages]]\nname = "verl"\n[packages.vcs]\ntype = "git"\n'
        f'url = "{GIT}"\ncommit-id = "{SHA}"'
    ),
    "Pipfile.lock": f'{{"default": {{\n"verl": {{"git": "{GIT}", "ref": "{SHA}"}}}}}}',
    "pyproject.toml": (
        '[project]\ndependencies = ["verl"]\n'
        f'[tool.uv.sources]\nverl = {{ git = "{GIT}", rev = "{SHA}" }}'
    ),
}
VERSION_LOCKS = [
    ("uv.lock", PACKAGE + 'source = { registry = "https://index.example/simple" }'),
    ("poetry.lock", PACKAGE + '[package.source]\ntype = "legacy"\nurl = "https://x.org/simple"'),
    ("Pipfile.lock", '{"default": {"verl": {"version": "==0.4.1"}}}'),
    ("pyproject.toml", '[project]\ndependencies = ["verl[vllm]==0.4.1"]'),
    ("pyproject.toml", '[tool.poetry.dependencies]\nverl = "0.4.1"'),
]


@pytest.mark.parametrize("path", GIT_LOCKS)
def test_a_git_source_is_its_commit(path: str) -> None:
    reading = only(GIT_LOCKS[path], path)

    assert isinstance(reading, Found)
    assert (reading.ref, reading.upstream) == (SHA, "volcengine/verl")
    assert reading.where.line is not None


@pytest.mark.parametrize(("path", "text"), VERSION_LOCKS)
def test_a_registry_source_is_its_version(path: str, text: str) -> None:
    reading = only(text, path)

    assert isinstance(reading, Found)
    assert (reading.ref, reading.is_version) == ("0.4.1", True)


@pytest.mark.parametrize(
    "text",
    [
        f'[tool.uv.sources]\nverl = {{ git = "{GIT}", branch = "feature-x" }}',
        '[project]\ndependencies = ["verl>=0.4"]',
        '[tool.poetry.dependencies]\nverl = "^0.4"',
    ],
)
def test_a_branch_or_range_of_a_project_is_kept_with_its_reason(text: str) -> None:
    assert isinstance(only(text, "pyproject.toml"), NotFound)


def test_only_the_named_packages_are_parsed_and_lines_stay_true() -> None:
    other = '[[package]]\nname = "numpy"\nversion = 1\n\n'
    text = f"version = 1\n\n{other * 3}{PACKAGE}\n{other}"

    readings = parse_lock(text, "uv.lock", ["verl", "megatron-core"])

    assert [(one.dist, one.where.line) for one in readings] == [("verl", 16)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("uv.lock", '[[package]]\nversion = "1"'),
        ("uv.lock", "package = 3"),
        ("Pipfile.lock", '{"default": {"verl": 1}}'),
        ("Pipfile.lock", "[]"),
        ("pyproject.toml", "[tool.poetry.dependencies]\nverl = 1"),
        ("pyproject.toml", '[project]\ndependencies = ["--bad", 1]'),
    ],
)
def test_an_entry_that_names_nothing_is_left_out(path: str, text: str) -> None:
    assert parse_lock(text, path) == []


def test_a_directory_of_poetry_is_a_checkout() -> None:
    text = PACKAGE + '[package.source]\ntype = "directory"\nurl = "libs/verl"'

    assert isinstance(only(text, "poetry.lock"), CheckoutAt)


def test_an_editable_package_is_a_checkout() -> None:
    text = '[[package]]\nname = "verl"\nversion = "0.4"\nsource = { editable = "third_party/verl" }'

    assert isinstance(only(text, "uv.lock"), CheckoutAt)


@pytest.mark.parametrize(("path", "text"), [("uv.lock", "[[package"), ("Pipfile.lock", "{")])
def test_a_broken_lock_is_one_line(path: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{path}: not valid: .+ \(write the lock anew\)$"):
        parse_lock(text, path)


@robust
@given(
    st.dictionaries(
        st.sampled_from(["name", "version", "git", "url", "revision", "source", "path", "type"]),
        st.text(awkward, max_size=20) | st.lists(st.integers(), max_size=2) | st.just({"git": 1}),
    )
)
def test_no_entry_breaks_the_parser(entry: dict[str, object]) -> None:
    import json

    parse_lock(json.dumps({"default": {"verl": entry}, "package": [entry]}), "Pipfile.lock")
