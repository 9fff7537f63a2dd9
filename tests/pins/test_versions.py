"""A version, specifier or git ref names a commit or a release, or is refused with a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import awkward, robust
from watcher.pins.records import Ref, Refusal
from watcher.pins.versions import read_git_ref, read_specifier, read_value, read_version


@pytest.mark.parametrize(
    ("version", "ref", "is_version"),
    [
        ("0.8.5", "0.8.5", True),
        ("0.8.5.post1", "0.8.5.post1", True),
        ("2.6.0+cu124", "2.6.0", True),
        ("2.5.0rc1", "2.5.0rc1", True),
        ("0.8.5.dev12+g1a2b3c4d5", "1a2b3c4d5", False),
        ("2.8.0a0+git1234abc", "1234abc", False),
        ("2.6.0a0+ecf3bae40a.nv25.1", "ecf3bae40a", False),
        ("0.4.dev3+g1234567.d20240301", "1234567", False),
    ],
)
def test_a_version_names_its_release_or_its_commit(
    version: str, ref: str, is_version: bool
) -> None:
    outcome = read_version(version)

    assert isinstance(outcome, Ref)
    assert (outcome.ref, outcome.is_version) == (ref, is_version)


def test_a_build_from_a_changed_tree_is_told() -> None:
    outcome = read_version("0.4.dev3+g1234567.d20240301")

    assert isinstance(outcome, Ref)
    assert outcome.note == "built from a tree with local changes"


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0.9.0.dev0", "development build"),
        ("2.7.0.dev20250301+cu126", "development build"),
        ("unknown", "not a version number"),
        ("0.8.0.dev0+d20240301", "development build"),
    ],
)
def test_a_version_without_its_commit_is_refused(version: str, reason: str) -> None:
    outcome = read_version(version)

    assert isinstance(outcome, Refusal)
    assert reason in outcome.reason


@pytest.mark.parametrize("specifier", [">=0.8", "~=0.8.0", "==0.8.*", "", ">=1,<2", "nonsense!"])
def test_a_specifier_that_allows_several_releases_is_refused(specifier: str) -> None:
    assert isinstance(read_specifier(specifier), Refusal)


def test_an_exact_clause_among_others_counts() -> None:
    assert read_specifier("==0.8.5,>=0.8") == Ref("0.8.5", is_version=True)


@pytest.mark.parametrize(
    "ref",
    [None, "main", "HEAD", "release/v0.8", "refs/pull/7/head", "latest", "-x", "a..b", "$V"],
)
def test_a_git_ref_that_moves_or_is_unsafe_is_refused(ref: str | None) -> None:
    assert isinstance(read_git_ref(ref), Refusal)


@pytest.mark.parametrize(
    ("written", "ref"),
    [("refs/tags/v0.8.0", "v0.8.0"), ("1A2B3C4D", "1a2b3c4d"), ("core_v0.12.0", "core_v0.12.0")],
)
def test_tags_and_shas_are_refs(written: str, ref: str) -> None:
    assert read_git_ref(written) == Ref(ref)


@pytest.mark.parametrize(
    ("value", "ref"),
    [
        ("0.8.5", Ref("0.8.5", is_version=True)),
        ("v0.8.5", Ref("v0.8.5")),
        ("12345678", Ref("12345678")),
    ],
)
def test_a_variables_value_may_be_a_version_a_tag_or_a_sha(value: str, ref: Ref) -> None:
    assert read_value(value) == ref


@robust
@given(st.text(awkward, max_size=40))
def test_no_text_breaks_the_readers(text: str) -> None:
    for read in (read_version, read_specifier, read_git_ref, read_value):
        assert isinstance(read(text), Ref | Refusal)
