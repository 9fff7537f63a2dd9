"""The links between an upstream's changes, with what only the mirror knows.

That are the releases which hold a commit, and stable patch-ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from watcher.facts.change import Change
from watcher.facts.links import Links
from watcher.facts.ref import Tag
from watcher.history.links import ReleaseFacts, link
from watcher.history.lookup import link_input
from watcher.history.releases import Release, order_tags
from watcher.pipeline.followed import FollowedUpstream


def link_history(
    followed: FollowedUpstream, tags: Sequence[Tag], changes: Sequence[Change]
) -> list[Links]:
    """Links of all changes of an upstream, those of the tracked line and of release branches."""
    releases = order_tags(tags, followed.profile.tag_pattern)
    ordered = _finals_first(releases)
    facts = ReleaseFacts(
        first=followed.mirror.first_releases([release.tag for release in ordered]),
        order=[release.name for release in ordered],
    )
    patch_ids = followed.mirror.patch_ids(_worth_comparing(changes))
    return link((link_input(change) for change in changes), releases=facts, patch_ids=patch_ids)


def _finals_first(releases: Sequence[Release]) -> list[Release]:
    """A preview counts only for what no final release holds."""
    return sorted(releases, key=lambda release: release.is_preview)


def _worth_comparing(changes: Sequence[Change]) -> list[str]:
    """Commits whose patch-ids can agree: off the line, or touching the same paths as one."""
    by_paths: dict[frozenset[str], list[str]] = {}
    for change in changes:
        if change.position is None:
            by_paths.setdefault(_paths(change), []).append(change.sha)
    by_paths.pop(frozenset(), None)
    if not by_paths:
        return []
    on_line = [one.sha for one in changes if one.position is not None and _paths(one) in by_paths]
    return [sha for shas in by_paths.values() for sha in shas] + on_line


def _paths(change: Change) -> frozenset[str]:
    return frozenset(file.path for file in change.diff.files)
