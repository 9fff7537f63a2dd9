"""Where a pin could move to: its upstream's later releases and the head, each as a pin of its own.

Worked out once for a tag and a head, and kept in the store.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.links import Links
from watcher.facts.pin import ResolvedPin
from watcher.facts.ref import Tag
from watcher.history.releases import order_tags, releases_after
from watcher.pins.resolve import Upstream, resolve
from watcher.pipeline.horizon import Horizon, position_of
from watcher.pipeline.pinned import Pinned
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store

_FORMAT: Final = 1


class Target(Struct, frozen=True, kw_only=True):
    """A later commit that the pin could move to."""

    name: str
    """The tag, or the tracked branch for the head."""
    pin: ResolvedPin
    """The pin as if it stood there."""
    version: str | None = None
    is_head: bool = False

    def holds(self, change: Change, links: Links | None) -> bool:
        """True when it has a change, in its line or under another sha on its branch."""
        if change.position is not None and change.position <= self.pin.position:
            return True
        names = {change.sha, *(links.equivalents if links else ())}
        return not names.isdisjoint(self.pin.carried)


def read_targets(
    one: Pinned, pin: ResolvedPin, horizon: Horizon, store: Store
) -> tuple[Target, ...]:
    """Later releases, lowest version first, and the head when none of them is it.

    Those that lie behind the pin are left out.
    """
    releases = order_tags(horizon.tags, one.followed.profile.tag_pattern)
    held = _held([release.tag for release in releases], pin, store)
    targets = []
    for release in releases_after(releases, held, pin.committed_at):
        placed = _placed(one, release.tag, horizon, store)
        if placed is not None and placed.position >= pin.position and placed.sha != pin.sha:
            version = str(release.version)
            targets.append(Target(name=release.name, pin=placed, version=version))
    released = {target.pin.sha for target in targets}
    if horizon.head not in {pin.sha, *released} and horizon.position >= pin.position:
        head = ResolvedPin(
            name=pin.name,
            upstream=pin.upstream,
            ref=horizon.head,
            sha=horizon.head,
            committed_at=horizon.at,
            position=horizon.position,
            fork_point=horizon.head,
        )
        targets.append(Target(name=horizon.branch, pin=head, is_head=True))
    return tuple(targets)


def version_of(one: Pinned, pin: ResolvedPin, horizon: Horizon) -> str | None:
    """Version of the release that a pin is, or None when it is none."""
    releases = order_tags(horizon.tags, one.followed.profile.tag_pattern)
    equal = [str(release.version) for release in releases if release.tag.sha == pin.sha]
    return equal[-1] if equal else None


def _held(tags: list[Tag], pin: ResolvedPin, store: Store) -> frozenset[str]:
    shas = tuple(tag.sha for tag in tags)
    which = ChangeFilter(shas=shas, off_line=None, parts=frozenset())
    on_line = {change.sha: change.position for change in store.changes(pin.upstream, which)}
    older = {
        sha
        for sha, position in on_line.items()
        if position is not None and position <= pin.position
    }
    return frozenset({pin.sha, *pin.carried, *older}.intersection(shas))


def _placed(one: Pinned, tag: Tag, horizon: Horizon, store: Store) -> ResolvedPin | None:
    """The pin as it would stand at a tag, or None for a tag outside the range."""
    walk = one.walk
    if walk is None:
        return None
    key, made_from = f"{one.name}@{tag.sha}", f"{_FORMAT}:{walk.base}:{horizon.head}:{tag.name}"
    kept = store.document("target", key)
    if isinstance(kept, dict) and kept.get("from") == made_from:
        found = kept.get("pin")
        return None if found is None else msgspec.convert(found, ResolvedPin)
    upstream = Upstream(
        line=horizon,
        lookup=one.followed.mirror,
        profile=one.followed.profile,
        position_of=lambda sha: position_of(store, walk.upstream, walk, sha),
    )
    pin = resolve(replace(one.setting, ref=tag.name, source=None), None, upstream)
    placed = pin if isinstance(pin, ResolvedPin) else None
    row = None if placed is None else msgspec.to_builtins(placed)
    store.save_document("target", key, {"from": made_from, "pin": row})
    return placed
