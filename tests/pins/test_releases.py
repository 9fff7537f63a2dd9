"""A version number finds the tag that PEP 440 calls equal."""

import pytest

from watcher.pins.releases import match_release

PATTERN = r"^(?:core_v|v)?(?P<version>\d+(?:\.\d+)+(?:rc\d+|\.post\d+)?)$"
NAMES = ["v0.8.0", "v0.8.0rc1", "core_v0.12.0", "v0.8.5.post1", "1.0.0", "v1.0.0", "nightly"]


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.8", "v0.8.0"),
        ("v0.8.0", "v0.8.0"),
        ("0.8.0rc1", "v0.8.0rc1"),
        ("0.8.5.post1", "v0.8.5.post1"),
        ("0.12.0", "core_v0.12.0"),
        ("1.0.0", "1.0.0"),
        ("0.8.5", None),
        ("nightly", None),
        ("", None),
    ],
)
def test_equal_versions_are_one_release(version: str, name: str | None) -> None:
    assert match_release(version, NAMES, PATTERN) == name
