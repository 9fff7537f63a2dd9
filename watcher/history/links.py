"""All changes of an upstream -> the links between them. Pure; recomputed whole at every sync."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from watcher.facts.links import Links
from watcher.history.equivalents import Equivalents, find_equivalents
from watcher.history.families import Families, find_families
from watcher.history.lookup import ChangeIndex, LinkInput, in_order
from watcher.history.origins import named_origins
from watcher.history.reverts import Reverts, find_reverts


class ReleaseFacts(Struct, frozen=True, kw_only=True):
    """Which release first holds a commit, and how releases are ordered."""

    first: Mapping[str, str]
    """Commit -> name of the first release that holds it."""
    order: Sequence[str]
    """Names of the releases, lowest first."""


def link(
    changes: Iterable[LinkInput],
    *,
    releases: ReleaseFacts | None = None,
    patch_ids: Mapping[str, str] | None = None,
) -> list[Links]:
    """One ``Links`` a change, in order of landing.

    ``changes`` are all of one upstream: the tracked line and its release branches. ``patch_ids``
    goes from sha to stable patch-id, for the commits whose id is known.
    """
    index = ChangeIndex(in_order(changes))
    reverts = find_reverts(index)
    equivalents = find_equivalents(index, patch_ids or {})
    families = find_families(index, reverts, equivalents)
    first = _first_releases(index, equivalents, releases)
    return [
        _links(index, at, reverts, equivalents, families, first) for at in range(len(index.changes))
    ]


def _links(
    index: ChangeIndex,
    at: int,
    reverts: Reverts,
    equivalents: Equivalents,
    families: Families,
    first: Mapping[int, str],
) -> Links:
    def sha(ordinal: int | None) -> str | None:
        return None if ordinal is None else index.changes[ordinal].sha

    def shas(ordinals: Iterable[int]) -> tuple[str, ...]:
        return tuple(index.changes[ordinal].sha for ordinal in ordinals)

    named = named_origins(index, at, reverts)
    return Links(
        sha=index.changes[at].sha,
        reverts=shas(reverts.targets.get(at, ())),
        withdrawn_by=sha(reverts.withdrawn_by.get(at)),
        relanded_as=sha(reverts.relanded_as.get(at)),
        equivalents=shas(equivalents.others.get(at, ())),
        equivalence=equivalents.how.get(at),
        first_release=first.get(at),
        follow_ups=shas(families.follow_ups.get(at, ())),
        family=shas(families.members.get(at, ())),
        related=shas(families.related.get(at, ())),
        named_origins=shas(named.origins) if named else (),
        named_origin_quote=named.quote if named else "",
    )


def _first_releases(
    index: ChangeIndex, equivalents: Equivalents, releases: ReleaseFacts | None
) -> dict[int, str]:
    if releases is None:
        return {}
    rank = {name: at for at, name in enumerate(releases.order)}
    first: dict[int, str] = {}
    for at in range(len(index.changes)):
        landings = (at, *equivalents.others.get(at, ()))
        names = [releases.first.get(index.changes[landing].sha) for landing in landings]
        known = [name for name in names if name is not None]
        if known:
            first[at] = min(known, key=lambda name: rank.get(name, len(rank)))
    return first
