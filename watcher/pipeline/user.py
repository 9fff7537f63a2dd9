"""What the user runs, weighed against what each pinned upstream ships; kept until one moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from watcher.facts.usage import Source, Usage
from watcher.history.releases import parse_version
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.upstream_ways import Ways, WaysReader
from watcher.pipeline.user_files import digest_of, gather_inputs, known_packages
from watcher.ports.files import Files
from watcher.ports.store import Store
from watcher.settings import Settings
from watcher.usage.codec import usage_from_json, usage_to_json
from watcher.usage.given import parse_override
from watcher.usage.read import Declared, join_usage, read_inputs


class User(Struct, frozen=True, kw_only=True):
    """The usage, and for each upstream what it ships at the pin."""

    usage: Usage
    digest: str
    """Names everything that the usage was made from."""
    ways: Mapping[str, Ways]
    """By pin name."""


class Asked(Struct, frozen=True, kw_only=True):
    """What one command line adds to the configured usage."""

    overrides: tuple[str, ...] = ()
    """``key=value``."""
    files: tuple[str, ...] = ()


NOTHING_ASKED = Asked()


class UserReader(Struct, frozen=True, kw_only=True):
    """Reads the user's files; needs no network."""

    files: Files
    settings: Settings
    environment: Mapping[str, str]
    store: Store
    ways: WaysReader

    def read(self, pins: Sequence[Pinned], asked: Asked = NOTHING_ASKED) -> User:
        """The user as seen from some pins. Raises ConfigError for files that cannot be read."""
        inputs = gather_inputs(self.files, self.settings, asked.files)
        packages = (*known_packages(self.files, self.settings, self.environment), *_pinned(pins))
        parts = [f"{one.name}={pin.sha}" for one, pin, _ in resolved(pins)]
        digest = digest_of(
            inputs, repr(self.settings.usage), repr(packages), *parts, *asked.overrides
        )
        kept = self._kept(digest, pins)
        if kept is not None:
            return kept
        profiles = [one.followed.profile for one in pins]
        reading = read_inputs(inputs, profiles)
        asked_for = [parse_override(text, Source("--set")) for text in asked.overrides]
        given = [*reading.settings, *(one for one in asked_for if one is not None)]
        ways = {
            one.name: self.ways.read(one.followed, pin.sha, given) for one, pin, _ in resolved(pins)
        }
        usage = join_usage(
            reading,
            profiles,
            declared=self._declared(packages, asked),
            baselines=[one.baseline for one in ways.values()],
        )
        if asked == NOTHING_ASKED:
            self.store.save_document(
                "usage", "joined", {"digest": digest, "usage": usage_to_json(usage)}
            )
        return User(usage=usage, digest=digest, ways=ways)

    def _kept(self, digest: str, pins: Sequence[Pinned]) -> User | None:
        """What was made from the very same files and pins, if it is still there."""
        kept = self.store.document("usage", "joined")
        if not isinstance(kept, dict) or kept.get("digest") != digest:
            return None
        usage = usage_from_json(str(kept.get("usage")))
        found = {
            one.name: self.ways.kept(one.followed.upstream, pin.sha)
            for one, pin, _ in resolved(pins)
        }
        ways = {name: one for name, one in found.items() if one is not None}
        if usage is None or len(ways) != len(found):
            return None
        return User(usage=usage, digest=digest, ways=ways)

    def _declared(self, packages: tuple[tuple[str, str], ...], asked: Asked) -> Declared:
        usage = self.settings.usage
        return Declared(
            keywords=usage.keywords,
            paths=usage.paths,
            gpus=usage.gpus,
            hardware=None if usage.hardware is None else usage.hardware.value,
            packages=packages,
            overrides=asked.overrides,
        )


def _pinned(pins: Sequence[Pinned]) -> tuple[tuple[str, str], ...]:
    """Pins on a release as package versions: they count over what happens to be installed."""
    found = []
    for one, pin, horizon in resolved(pins):
        package = one.followed.profile.package
        for tag in horizon.tags:
            match = one.followed.profile.tag_pattern.search(tag.name)
            if package and tag.sha == pin.sha and match is not None:
                version = match.groupdict().get("version") or tag.name
                if parse_version(version) is not None:
                    found.append((package, version))
    return tuple(found)
