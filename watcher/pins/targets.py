"""Which readings are about which upstream, by the names of the profiles. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from watcher.pins.records import Reading, normalise
from watcher.upstreams.profile import Profile


class Target(Struct, frozen=True, kw_only=True):
    """An upstream that a project may pin, by every name it goes by."""

    name: str
    """Short name, used as the pin's name."""
    upstream: str
    """Present ``owner/name``."""
    dists: tuple[str, ...]
    """Normalised distribution and repository names."""
    repositories: frozenset[str]
    """Present and former ``owner/name``, lower case."""
    module: str
    """Top-level import package."""


def target_of(profile: Profile, upstream: str | None = None) -> Target:
    """The target of a profile, or of another upstream that the (generic) profile serves."""
    names = [*profile.upstreams]
    present = upstream or names[0]
    if present.lower() not in {name.lower() for name in names}:
        names = [present]
    repository = present.split("/")[-1]
    dists = [normalise(name) for name in (profile.package, repository) if name]
    return Target(
        name=profile.name if upstream is None else repository,
        upstream=present,
        dists=tuple(dict.fromkeys(dists)),
        repositories=frozenset(name.lower() for name in [present, *names]),
        module=profile.module,
    )


def is_about(reading: Reading, target: Target) -> bool:
    """True when a reading speaks of a target: by repository, a fork's too, or by distribution."""
    upstream = getattr(reading, "upstream", None)
    if upstream is not None:
        if upstream.lower() in target.repositories:
            return True
        repository = normalise(upstream.split("/")[-1])
        return repository in target.dists or reading.dist in target.dists
    return reading.dist in target.dists


def fork_of(reading: Reading, target: Target) -> str | None:
    """``owner/name`` of the fork that a reading names, or None for the upstream itself."""
    upstream = getattr(reading, "upstream", None)
    if upstream is None or upstream.lower() in target.repositories:
        return None
    return str(upstream)


def all_names(targets: Iterable[Target]) -> Sequence[str]:
    """Every distribution name of several targets."""
    return list(dict.fromkeys(name for target in targets for name in target.dists))
