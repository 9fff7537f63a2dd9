"""A version number in, the release tag or the table entry that stands for it out. Pure.

Compared as PEP 440 compares: ``0.8``, ``v0.8.0`` and ``0.8.0`` are one release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from watcher.facts.ref import Tag
from watcher.upstreams.profile import Profile

if TYPE_CHECKING:
    from packaging.version import Version


def find_release(version: str, tags: Sequence[Tag], profile: Profile) -> Tag | None:
    """The release tag of a version; the closest spelling when several are equal."""
    name = match_release(version, (tag.name for tag in tags), profile.tag_pattern.pattern)
    return next((tag for tag in tags if tag.name == name), None)


def match_release(version: str, names: Iterable[str], tag_pattern: str) -> str | None:
    """The tag name whose group ``version`` equals a version; the closest spelling of several."""
    wanted, pattern = _parse(version), re.compile(tag_pattern)
    equal = [name for name in names if wanted and _version_of(name, pattern) == wanted]
    return min(equal, key=lambda name: (version not in name, len(name)), default=None)


def release_sha(version: str, profile: Profile) -> str | None:
    """The commit of a release that has no tag, by the profile's table."""
    wanted = _parse(version)
    shas = (sha for name, sha in profile.releases.items() if wanted and _parse(name) == wanted)
    return next(shas, None)


def near_releases(version: str, tags: Sequence[Tag], profile: Profile) -> list[str]:
    """Up to three tags whose version lies next to one that has no tag."""
    wanted, pattern = _parse(version), re.compile(profile.tag_pattern.pattern)
    versions = [(found, tag.name) for tag in tags if (found := _version_of(tag.name, pattern))]
    ordered = sorted(versions)
    if wanted is None:
        return [name for _, name in ordered[-3:]]
    after = next((i for i, (found, _) in enumerate(ordered) if found > wanted), len(ordered))
    return [name for _, name in ordered[max(0, after - 2) : after + 1]]


def is_version(text: str) -> bool:
    """True for a PEP 440 version number, with or without a leading ``v``."""
    return _parse(text) is not None


def _version_of(name: str, pattern: re.Pattern[str]) -> Version | None:
    match = pattern.fullmatch(name)
    if match is None or "version" not in match.groupdict():
        return None
    return _parse(match["version"])


def _parse(text: str | None) -> Version | None:
    from packaging.version import InvalidVersion, Version  # only version numbers need it

    try:
        return Version(text) if text and len(text) <= 100 else None
    except InvalidVersion:
        return None
