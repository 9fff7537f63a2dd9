from datetime import timedelta

import pytest

from tests.builders import GIT_EPOCH, shipped_profile
from watcher.facts import Tag
from watcher.history.releases import Release, first_releases, order_tags, releases_after
from watcher.upstreams.profile import Regex


def tags(*names: str) -> list[Tag]:
    return [
        Tag(name, f"sha-{name}", GIT_EPOCH + timedelta(days=at)) for at, name in enumerate(names)
    ]


def ordered(profile: str, *names: str) -> tuple[Release, ...]:
    return order_tags(tags(*names), shipped_profile(profile).tag_pattern)


@pytest.mark.parametrize(
    ("profile", "names", "order"),
    [
        (
            "verl",
            ["v0.10.0", "v0.9.0", "v0.9.0rc1", "v0.9.0.post1", "v0.2.0.post2", "nightly"],
            ["v0.2.0.post2", "v0.9.0rc1", "v0.9.0", "v0.9.0.post1", "v0.10.0"],
        ),
        (
            "pytorch",
            ["v2.9.0", "v2.9.0-rc9", "v2.9.0-rc10"],
            ["v2.9.0-rc9", "v2.9.0-rc10", "v2.9.0"],
        ),
        (
            "megatron-lm",
            ["core_v0.17.0", "core_v0.9.0", "v3.0"],
            ["core_v0.9.0", "core_v0.17.0", "v3.0"],
        ),
        ("torchtitan", ["ciflow/8gpu/2125", "v0.2.2", "v0.1.0"], ["v0.1.0", "v0.2.2"]),
    ],
)
def test_tags_stand_in_the_order_of_their_field(
    profile: str, names: list[str], order: list[str]
) -> None:
    assert [release.name for release in ordered(profile, *names)] == order


def test_tags_of_strict_semantic_versioning_are_ordered_by_it() -> None:
    names = ["v1.0.0", "v1.0.0-pre.alpha.11", "v1.0.0-pre.alpha.2"]

    releases = order_tags(tags(*names), Regex(r"^v(?P<version>\d.*)$"))

    assert [release.name for release in releases] == names[::-1]
    assert [release.is_preview for release in releases] == [True, True, False]


PARENTS = {
    "a": (),
    "b": ("a",),
    "c": ("b",),
    "d": ("c",),
    "pick": ("b",),
    "side": ("a",),
    "merge": ("d", "side"),
}


def at(name: str, sha: str) -> Tag:
    return Tag(name, sha, GIT_EPOCH)


def first(*of: Tag) -> dict[str, str]:
    return first_releases(order_tags(of, shipped_profile("verl").tag_pattern), PARENTS)


def test_the_first_release_is_the_lowest_version_that_reaches_a_commit() -> None:
    found = first(at("v0.3.0", "d"), at("v0.2.1", "pick"), at("v0.2.0", "b"))

    assert found == {
        "a": "v0.2.0",
        "b": "v0.2.0",
        "pick": "v0.2.1",
        "c": "v0.3.0",
        "d": "v0.3.0",
    }


def test_merged_sides_belong_to_the_release_of_the_merge() -> None:
    assert first(at("v0.4.0", "merge"))["side"] == "v0.4.0"


def test_a_preview_counts_only_for_what_no_final_release_holds() -> None:
    found = first(at("v0.3.0rc1", "c"), at("v0.3.0", "c"), at("v0.4.0rc1", "d"))

    assert (found["c"], found["d"]) == ("v0.3.0", "v0.4.0rc1")


def test_a_tag_outside_the_mirrored_range_holds_nothing() -> None:
    assert first(at("v0.1.0", "elsewhere")) == {}


def test_releases_after_a_pin_follow_the_highest_that_it_holds() -> None:
    releases = ordered("verl", "v0.1.0", "v0.2.0", "v0.3.0rc1", "v0.3.0")

    later = releases_after(releases, {"sha-v0.1.0", "sha-v0.2.0"}, GIT_EPOCH)

    assert [release.name for release in later] == ["v0.3.0"]


def test_a_pin_that_holds_no_release_stands_at_its_time() -> None:
    releases = ordered("verl", "v0.1.0", "v0.2.0", "v0.3.0rc1")

    later = releases_after(releases, set(), GIT_EPOCH + timedelta(days=1))

    assert [release.name for release in later] == ["v0.3.0rc1"]
