from datetime import timedelta

import pytest

from tests.builders import GIT_EPOCH, shipped_profile
from watcher.facts.ref import Tag
from watcher.history.releases import Release, order_tags, releases_after
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


def test_releases_after_a_pin_follow_the_highest_that_it_holds() -> None:
    releases = ordered("verl", "v0.1.0", "v0.2.0", "v0.3.0rc1", "v0.3.0")

    later = releases_after(releases, {"sha-v0.1.0", "sha-v0.2.0"}, GIT_EPOCH)

    assert [release.name for release in later] == ["v0.3.0"]


def test_a_pin_that_holds_no_release_stands_at_its_time() -> None:
    releases = ordered("verl", "v0.1.0", "v0.2.0", "v0.3.0rc1")

    later = releases_after(releases, set(), GIT_EPOCH + timedelta(days=1))

    assert [release.name for release in later] == ["v0.3.0rc1"]
