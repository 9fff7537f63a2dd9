"""What a project pins and runs, found in its files -> a first ``watcher.toml``.

Gathers through ``ports.Files``; ``watcher.pipeline.init_text`` renders the file. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from watcher.errors import ConfigError
from watcher.pins.addresses import owner_and_name
from watcher.pins.records import SHA, Found, Outcome, Reading, comparable
from watcher.pins.targets import Target, all_names, fork_of, target_of
from watcher.pipeline.checkouts import is_repository_of, remotes_of
from watcher.pipeline.init_text import DetectedPin, InitResult, render_config
from watcher.pipeline.init_usage import find_usage
from watcher.pipeline.installed import active_prefixes
from watcher.pipeline.pin_sources import Place, pinned_by, read_file, read_source, submodules
from watcher.ports.files import Files
from watcher.settings import PinSource, SourceKind
from watcher.upstreams.profile import Profile

__all__ = ["DetectedPin", "InitResult", "detect", "render_config"]

_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")
_REQUIREMENTS = (
    "*requirements*.txt",
    "requirements/*.txt",
    "constraints*.txt",
    "environment*.yml",
    "environment*.yaml",
)
_PATTERNS: Mapping[SourceKind, tuple[str, ...]] = {
    SourceKind.LOCK: _LOCKS,
    SourceKind.REQUIREMENTS: (*_REQUIREMENTS, "pyproject.toml"),
    SourceKind.IMAGE: ("Dockerfile*", "*.dockerfile", "*.Dockerfile", "Containerfile*"),
    SourceKind.SCRIPT: ("*.sh",),
}
_MAX_FILES = 400
"""Files of one kind that are looked into."""
_DIRECTORIES = frozenset({SourceKind.SUBMODULE, SourceKind.CHECKOUT})
_TRUST = (
    SourceKind.SUBMODULE,
    SourceKind.CHECKOUT,
    SourceKind.LOCK,
    SourceKind.REQUIREMENTS,
    SourceKind.INSTALLED,
    SourceKind.IMAGE,
    SourceKind.SCRIPT,
)
"""Kinds of source, the one that says most about what is run first."""


class _Candidate(Struct, frozen=True):
    source: PinSource
    reading: Outcome

    @property
    def is_found(self) -> bool:
        """True when it names a ref."""
        return isinstance(self.reading, Found)

    @property
    def rank(self) -> tuple[bool, int, int]:
        """Lower is better: found before refused, then by trust, then near the root."""
        depth = self.source.name.count("/") if self.source.kind not in _DIRECTORIES else 0
        return not self.is_found, _TRUST.index(self.source.kind), depth


class _FileReadings(Struct, frozen=True):
    """One file, parsed once for every target."""

    source: PinSource
    readings: Sequence[Reading]


def detect(
    files: Files,
    root: Path,
    *,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    prefixes: Sequence[Path] = (),
) -> InitResult:
    """Pins, launch scripts, configurations and code of the project in ``root`` (absolute).

    ``prefixes`` are environments to look into after the active one. Upstreams of unverified
    profiles are told only as suggestions, unless they are pinned to a commit. Never raises.
    """
    wanted = (*active_prefixes(files, root, environment), *prefixes)
    place = Place(files, root, tuple(dict.fromkeys(wanted)))
    named = [profile for profile in profiles if profile.upstreams]
    targets = [target_of(profile) for profile in named]
    parsed = _parse_files(place, all_names(targets))
    pins: list[DetectedPin] = []
    for profile, target in zip(named, targets, strict=True):
        candidates = sorted(_candidates(target, place, parsed), key=lambda one: one.rank)
        if candidates:
            pins.append(_pin(target, candidates, is_verified=profile.verified))
    own = {pin.source.name for pin in pins if pin.source.kind in _DIRECTORIES}
    usage = find_usage(files, root, profiles=named, leave_out=own)
    return InitResult(root=root, pins=tuple(pins), usage=usage)


def _parse_files(place: Place, dists: Sequence[str]) -> list[_FileReadings]:
    """Every file that may pin something, parsed."""
    parsed: list[_FileReadings] = []
    for kind, patterns in _PATTERNS.items():
        found = place.files.find(place.root, patterns)
        names = (path.relative_to(place.root).as_posix() for path in found)
        for name in sorted(names, key=lambda name: (name.count("/"), name))[:_MAX_FILES]:
            try:
                readings = read_file(kind, name, dists, place)
            except ConfigError:
                continue  # a broken file of another tool is not init's to report
            if readings:
                parsed.append(_FileReadings(PinSource(kind, name), readings))
    return parsed


def _candidates(
    target: Target, place: Place, parsed: Sequence[_FileReadings]
) -> Iterator[_Candidate]:
    """Everything that says which commit of a target is used."""
    for module in submodules(place):
        if is_repository_of(owner_and_name(module.url), target):
            source = PinSource(SourceKind.SUBMODULE, module.path)
            yield _Candidate(source, read_source(source, target, place))
    yield from _checkouts(target, place)
    for file in parsed:
        pinned = pinned_by(file.readings, file.source.name, target, place)
        if pinned is not None:
            yield _Candidate(file.source, pinned)
    source = PinSource(SourceKind.INSTALLED, target.dists[0])
    reading = read_source(source, target, place)
    if isinstance(reading, Found) or reading.written != str(source):
        yield _Candidate(source, reading)


def _checkouts(target: Target, place: Place) -> Iterator[_Candidate]:
    """Checkouts of the target: the project itself, or a directory at most two levels below."""
    known = {module.path for module in submodules(place)}
    names = [name for name in place.files.names(place.root) if not name.startswith(".")]
    nested = [
        f"{name}/{inner}"
        for name in names[:_MAX_FILES]
        if name.lower()
        in {"third_party", "third-party", "thirdparty", "external", "deps", "vendor"}
        for inner in place.files.names(place.root / name)
    ]
    for name in [".", *names[:_MAX_FILES], *nested[:_MAX_FILES]]:
        if name in known:
            continue
        if any(is_repository_of(one, target) for one in remotes_of(place.files, place.root / name)):
            source = PinSource(SourceKind.CHECKOUT, name)
            yield _Candidate(source, read_source(source, target, place))


def _pin(target: Target, candidates: Sequence[_Candidate], *, is_verified: bool) -> DetectedPin:
    """The pin to write for a target, from the best candidate, with what else was seen."""
    best = candidates[0]
    rivals = [one for one in candidates if one.is_found and one.rank == best.rank]
    is_ambiguous = len({comparable(_ref(one)) for one in rivals}) > 1
    others = candidates if is_ambiguous else candidates[1:]
    is_commit = SHA.fullmatch(_ref(best)) is not None
    is_chosen = is_verified or (is_commit and best.source.kind is not SourceKind.INSTALLED)
    ambiguous = f"{len(rivals)} files name different commits; keep the source that is run"
    return DetectedPin(
        name=target.name,
        upstream=target.upstream,
        source=best.source,
        found=ambiguous if is_ambiguous else _words(best.reading),
        is_active=is_chosen and not is_ambiguous,
        fork=fork_of(best.reading, target),
        others=tuple(f"{other.source}: {_words(other.reading)}" for other in others),
    )


def _ref(candidate: _Candidate) -> str:
    reading = candidate.reading
    return reading.ref if isinstance(reading, Found) else ""


def _words(reading: Outcome) -> str:
    """What a reading says, with its place, for a comment."""
    if isinstance(reading, Found):
        note = f", {reading.note}" if reading.note else ""
        return f"{reading.ref} ({reading.where}{note})"
    return f"not resolved: {reading.reason} ({reading.where}); {reading.mend}"
