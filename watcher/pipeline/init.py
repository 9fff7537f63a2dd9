"""What a project pins and runs, found in its files -> a first ``watcher.toml``.

Gathers through ``ports.Files``; ``watcher.pipeline.init_text`` renders the file. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from watcher.errors import ConfigError
from watcher.pins.addresses import owner_and_name
from watcher.pins.records import SHA, Found, Outcome, choose
from watcher.pins.targets import Target, fork_of, target_of
from watcher.pipeline.checkouts import is_repository_of, remotes_of
from watcher.pipeline.init_text import DetectedPin, InitResult, render_config
from watcher.pipeline.init_usage import find_usage
from watcher.pipeline.installed import active_prefixes
from watcher.pipeline.pin_sources import Place, read_file, read_source, submodules
from watcher.ports import Files
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


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: PinSource
    reading: Outcome


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
    pins: list[DetectedPin] = []
    found_files = {kind: _files(place, patterns) for kind, patterns in _PATTERNS.items()}
    for profile in named:
        target = target_of(profile)
        pin = _pin(target, list(_candidates(target, place, found_files)), profile)
        if pin is not None:
            pins.append(pin)
    own = {pin.source.name for pin in pins if pin.source.kind in _DIRECTORIES}
    usage = find_usage(files, root, profiles=named, leave_out=own)
    return InitResult(root=root, pins=tuple(pins), usage=usage)


_DIRECTORIES = frozenset({SourceKind.SUBMODULE, SourceKind.CHECKOUT})


def _files(place: Place, patterns: Sequence[str]) -> list[str]:
    """Files that match, nearest first, as paths below the root."""
    found = (
        path.relative_to(place.root).as_posix() for path in place.files.find(place.root, patterns)
    )
    return sorted(found, key=lambda name: (name.count("/"), name))[:_MAX_FILES]


def _candidates(
    target: Target, place: Place, found_files: Mapping[SourceKind, list[str]]
) -> Iterator[_Candidate]:
    """Everything that says which commit of a target is used, most telling first."""
    for module in submodules(place):
        if is_repository_of(owner_and_name(module.url), target):
            source = PinSource(SourceKind.SUBMODULE, module.path)
            yield _Candidate(source, read_source(source, target, place))
    yield from _checkouts(target, place)
    for kind, names in found_files.items():
        for name in names:
            try:
                readings = read_file(kind, name, target, place) or []
            except ConfigError:
                continue  # a broken file of another tool is not init's to report
            if choose(readings) is not None:
                source = PinSource(kind, name)
                yield _Candidate(source, read_source(source, target, place))
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


def _pin(target: Target, candidates: list[_Candidate], profile: Profile) -> DetectedPin | None:
    """The pin to write for a target, with what else was seen; None when nothing was."""
    if not candidates:
        return None
    best = min(candidates, key=_uncertainty)
    reading = best.reading
    others = tuple(
        f"{other.source}: {_words(other.reading)}" for other in candidates if other is not best
    )
    is_commit = isinstance(reading, Found) and SHA.fullmatch(reading.ref) is not None
    fork = fork_of(reading, target)
    return DetectedPin(
        name=target.name,
        upstream=target.upstream,
        source=best.source,
        found=_words(reading),
        is_active=profile.verified or (is_commit and best.source.kind is not SourceKind.INSTALLED),
        fork=fork,
        others=others,
    )


def _uncertainty(candidate: _Candidate) -> int:
    """0 for a commit, 1 for a version or tag, 2 for a refusal; the first of the least wins."""
    reading = candidate.reading
    if not isinstance(reading, Found):
        return 2
    return 0 if SHA.fullmatch(reading.ref) else 1


def _words(reading: Outcome) -> str:
    """What a reading says, with its place, for a comment."""
    if isinstance(reading, Found):
        note = f", {reading.note}" if reading.note else ""
        return f"{reading.ref} ({reading.where}{note})"
    return f"not resolved: {reading.reason} ({reading.where}); {reading.mend}"
