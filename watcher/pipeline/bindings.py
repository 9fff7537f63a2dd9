"""How pins bind each other: what one requires at a target against where the others stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from watcher.errors import MirrorError, RangeError
from watcher.pins.upstream_requirements import (
    UpstreamRequirement,
    is_requirement_file,
    parse_upstream_requirements,
)
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.targets import Target, version_of
from watcher.ports.mirror import Mirror
from watcher.ports.store import Store

_FORMAT: Final = 1
_LONGEST_VERSION: Final = 200
_NOT_RUN: Final = frozenset(
    {"test", "tests", "testing", "dev", "docs", "doc", "lint", "build", "quality", "nightly"}
)
_HARDWARE: Final = frozenset(
    {
        "cuda",
        "gpu",
        "rocm",
        "amd",
        "npu",
        "ascend",
        "tpu",
        "xpu",
        "cpu",
        "hpu",
        "neuron",
        "openvino",
    }
)
_CUDA: Final = frozenset({"cuda", "gpu"})


def requirements_at(mirror: Mirror, sha: str) -> list[UpstreamRequirement]:
    """What an upstream requires at a commit. Raises RangeError and MirrorError."""
    paths = [path for path in mirror.files(sha) if is_requirement_file(path)]
    blobs = mirror.blobs(sha, paths) if paths else ()
    texts = {path: content.decode("utf-8", "replace") for path, content in blobs}
    return list(parse_upstream_requirements(texts))


def kept_requirements(
    followed: FollowedUpstream, sha: str, store: Store
) -> list[UpstreamRequirement]:
    """The same, kept in the store; nothing when the mirror cannot tell."""
    key = f"{followed.upstream}@{sha}:{_FORMAT}"
    kept = store.document("requirements", key)
    if isinstance(kept, list):
        return msgspec.convert(kept, list[UpstreamRequirement])
    try:
        found = requirements_at(followed.mirror, sha)
    except (RangeError, MirrorError):
        return []
    store.save_document("requirements", key, msgspec.to_builtins(found))
    return found


class Setup(Struct, frozen=True, kw_only=True):
    """What decides which extras of an upstream count for this user."""

    packages: frozenset[str] = frozenset()
    """Normalised names of the packages in use."""
    hardware: str | None = None


class OtherPin(Struct, frozen=True, kw_only=True):
    """Another pin of the user, as far as it binds."""

    name: str
    package: str
    version: str | None
    requirements: tuple[UpstreamRequirement, ...]
    ref: str


class Bindings(Struct, frozen=True, kw_only=True):
    """Checks the targets of one pin against the other pins."""

    followed: FollowedUpstream
    store: Store
    others: tuple[OtherPin, ...]
    setup: Setup = Setup()
    version: str | None = None
    """Version of the pin itself, when it is a release."""

    def warnings(self, target: Target) -> tuple[str, ...]:
        """What would leave its range if the pin moved to the target, a sentence each."""
        if not self.others:
            return ()
        own = kept_requirements(self.followed, target.pin.sha, self.store)
        told = [line for other in self.others for line in self._on_other(own, target, other)]
        told += [line for other in self.others for line in self._on_target(target, other)]
        return tuple(dict.fromkeys(told))

    def _on_other(
        self, own: Sequence[UpstreamRequirement], target: Target, other: OtherPin
    ) -> Iterable[str]:
        broken = broken_ranges(own, other.package, other.version, self.setup)
        for one in broken:
            yield (
                f"{self._label(target)} requires {other.package}{one.specifier}{_extra(one)}; your"
                f" pin {other.name} is {other.version}"
            )

    def _on_target(self, target: Target, other: OtherPin) -> Iterable[str]:
        package = self.followed.profile.package
        if package is None or target.version is None:
            return
        before = broken_ranges(other.requirements, package, self.version, self.setup)
        for one in broken_ranges(other.requirements, package, target.version, self.setup):
            today = " (it is outside today as well)" if one in before else ""
            yield (
                f"{self._label(target)} would leave the range of your pin {other.name} {other.ref}:"
                f" {package}{one.specifier}{_extra(one)}{today}"
            )

    def _label(self, target: Target) -> str:
        package = self.followed.profile.package or self.followed.profile.name
        return f"{package} {target.version or target.pin.sha[:9]}"


def read_bindings(
    one: Pinned, pins: Sequence[Pinned], store: Store, hardware: str | None
) -> Bindings:
    """What binds one pin: the other resolved pins, each with its version and its requirements."""
    others: list[OtherPin] = []
    packages: set[str] = set()
    version = None
    for other, pin, horizon in resolved(pins):
        package = other.followed.profile.package
        packages.add(canonicalize_name(package or ""))
        if other.name == one.name:
            version = version_of(other, pin, horizon)
            continue
        if package is None or other.followed.upstream == one.followed.upstream:
            continue
        found = kept_requirements(other.followed, pin.sha, store)
        others.append(
            OtherPin(
                name=other.name,
                package=canonicalize_name(package),
                version=version_of(other, pin, horizon),
                requirements=tuple(found),
                ref=pin.ref,
            )
        )
    return Bindings(
        followed=one.followed,
        store=store,
        others=tuple(others),
        setup=Setup(packages=frozenset(packages), hardware=hardware),
        version=version,
    )


def broken_ranges(
    requirements: Sequence[UpstreamRequirement], package: str, version: str | None, setup: Setup
) -> list[UpstreamRequirement]:
    """Requirements on a package that a version does not meet; one of each range.

    Requirements of extras are alternatives: they count only when the version meets none of them.
    An extra that brings the package it is named after counts for the users of that package alone.
    """
    parsed = _version(version)
    if parsed is None:
        return []
    name = canonicalize_name(package)
    foreign = _extras_about(requirements) - setup.packages
    mine = [
        one
        for one in requirements
        if one.package == name and _counts(one, setup.hardware) and one.extra not in foreign
    ]
    firm = [one for one in mine if one.extra is None]
    optional = [one for one in mine if one.extra is not None]
    broken = [one for one in firm if not _meets(parsed, one.specifier)]
    if optional and not any(_meets(parsed, one.specifier) for one in optional):
        broken += optional
    return list({one.specifier: one for one in reversed(broken)}.values())


def _extras_about(requirements: Iterable[UpstreamRequirement]) -> frozenset[str]:
    """Extras that bring the package they are named after: they are for its users alone."""
    return frozenset(one.extra for one in requirements if one.extra and one.extra == one.package)


def _counts(requirement: UpstreamRequirement, hardware: str | None) -> bool:
    """False for extras of tests, documents and builds, and for those of other hardware."""
    words = set((requirement.extra or "").lower().replace("_", "-").replace("/", "-").split("-"))
    if words & _NOT_RUN:
        return False
    named = words & _HARDWARE
    wanted = _CUDA if hardware in {None, "cuda"} else frozenset({hardware or ""})
    return not named or bool(named & wanted)


def _meets(version: Version, specifier: str) -> bool:
    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except InvalidSpecifier:
        return True


def _version(text: str | None) -> Version | None:
    try:
        return Version(text) if text and len(text) <= _LONGEST_VERSION else None
    except InvalidVersion:
        return None


def _extra(requirement: UpstreamRequirement) -> str:
    return f" (extra {requirement.extra})" if requirement.extra else ""
