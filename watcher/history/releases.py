"""Tags -> releases in their field's order, and those that come after a pin. Pure.

Python releases order by PEP 440; a tag that only semantic versioning understands by that.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from functools import total_ordering
from typing import Final

from msgspec import Struct
from packaging.version import InvalidVersion, Version
from semver import Version as SemanticVersion

from watcher.facts.ref import Tag
from watcher.upstreams.profile import Regex


@total_ordering
class Release(Struct, frozen=True, eq=False):
    """A release tag with its version."""

    tag: Tag
    version: Version | SemanticVersion

    @property
    def name(self) -> str:
        """The tag's name."""
        return self.tag.name

    @property
    def is_preview(self) -> bool:
        """True for alphas, betas, candidates and development releases."""
        if isinstance(self.version, Version):
            return self.version.is_prerelease
        return bool(self.version.prerelease)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.tag == other.tag

    def __hash__(self) -> int:
        return hash(self.tag)

    def __lt__(self, other: Release) -> bool:
        mine, its = self.version, other.version
        if isinstance(mine, Version) and isinstance(its, Version):
            return mine < its
        if isinstance(mine, SemanticVersion) and isinstance(its, SemanticVersion):
            return mine < its
        return (_numbers(mine), not self.is_preview) < (_numbers(its), not other.is_preview)


def _numbers(version: Version | SemanticVersion) -> tuple[int, ...]:
    if isinstance(version, Version):
        return (*version.release, 0, 0)[: max(3, len(version.release))]
    return version.major, version.minor, version.patch


def order_tags(tags: Iterable[Tag], pattern: Regex) -> tuple[Release, ...]:
    """Release tags, lowest version first; tags that are no releases are left out.

    ``pattern`` is ``Profile.tag_pattern``. Two tags of one version keep the order of their names.
    """
    releases = [
        release
        for tag in sorted(tags, key=lambda tag: tag.name)
        if (release := _release(tag, pattern)) is not None
    ]
    return tuple(sorted(releases))


def _release(tag: Tag, pattern: Regex) -> Release | None:
    match = pattern.search(tag.name)
    if match is None:
        return None
    version = parse_version(match.groupdict().get("version") or tag.name)
    return None if version is None else Release(tag, version)


_LONGEST_VERSION: Final = 200
"""No release is named at such length, and numbers of thousands of digits cannot be read."""


def parse_version(text: str) -> Version | SemanticVersion | None:
    """A version by PEP 440, else by strict semantic versioning, else None."""
    if len(text) > _LONGEST_VERSION:
        return None
    try:
        return Version(text)
    except InvalidVersion:
        pass
    try:
        return SemanticVersion.parse(text.removeprefix("v"))
    except ValueError:
        return None


def releases_after(
    releases: Sequence[Release], held: Container[str], pinned_at: datetime
) -> tuple[Release, ...]:
    """Releases that come after a pin, lowest first, previews only when no final one does.

    ``held`` are the commits that the pin holds: the highest release among them is where it stands.
    A pin that holds none stands at its commit time (``pinned_at``).
    """
    standing = [release for release in releases if release.tag.sha in held]
    if standing:
        later = [release for release in releases if release > standing[-1]]
    else:
        later = [release for release in releases if release.tag.committed_at > pinned_at]
    finals = tuple(release for release in later if not release.is_preview)
    return finals or tuple(later)
