"""The source of a pin (``installed:verl``, ``lock:uv.lock`` …) read now -> a reading.

Gathers through ``ports.Files``, parses with ``watcher.pins``; runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from watcher.errors import ConfigError
from watcher.facts.usage import Source
from watcher.pins.gitfiles import Submodule, parse_gitmodules
from watcher.pins.lockfiles import parse_lock
from watcher.pins.records import CheckoutAt, NotFound, Outcome, Reading, choose
from watcher.pins.requirements import included_files, parse_requirements
from watcher.pins.scripts import parse_script
from watcher.pins.targets import Target, is_about, target_of
from watcher.pipeline.checkouts import read_checkout
from watcher.pipeline.installed import (
    active_prefixes,
    prefix_of,
    read_distribution,
    site_directories,
)
from watcher.ports.files import Files
from watcher.settings import PinSetting, PinSource, Settings, SourceKind
from watcher.upstreams.profile import Profile

_MAX_INCLUDED = 20
_LOCK_LIMIT = 50_000_000


class Place(Struct, frozen=True):
    """Where pins are read: the project's directory and the environments to look into."""

    files: Files
    root: Path
    """Absolute."""
    prefixes: tuple[Path, ...] = ()
    """Environments, the first one that holds the distribution wins."""


def read_pin(
    setting: PinSetting,
    settings: Settings,
    *,
    files: Files,
    profile: Profile,
    environment: Mapping[str, str],
    prefixes: Sequence[Path] = (),
) -> Outcome | None:
    """What a pin's source says now; None for a pin with a plain ``ref``. Never raises.

    ``prefixes`` are looked into after the active environment (the one watcher runs in, say).
    """
    if setting.source is None:
        return None
    if setting.python is not None:
        wanted = [prefix_of(setting.python)]
    else:
        wanted = [*active_prefixes(files, settings.root, environment), *prefixes]
    place = Place(files, settings.root, tuple(wanted))
    return read_source(setting.source, target_of(profile, setting.upstream), place)


def read_source(source: PinSource, target: Target, place: Place) -> Outcome:
    """The reading of one source for a target: found, or not found with reason and mend."""
    if source.kind is SourceKind.INSTALLED:
        named = replace(target, dists=tuple(dict.fromkeys([source.name.lower(), *target.dists])))
        return _installed(source, named, place)
    path = place.root / source.name
    if source.kind is SourceKind.CHECKOUT:
        return read_checkout(place.files, path, Source(source.name), target)
    if source.kind is SourceKind.SUBMODULE:
        return _submodule(source.name, target, place)
    try:
        readings = read_file(source.kind, source.name, target.dists, place)
    except ConfigError as error:
        return _nothing(target, source, error.what, error.mend)
    if readings is None:
        return _nothing(target, source, "cannot be read", "name a file beside the configuration")
    reading = pinned_by(readings, source.name, target, place)
    if reading is None:
        mend = "name the file that pins it, or set ref in the configuration"
        return _nothing(target, source, f"does not name {' or '.join(target.dists)}", mend)
    return reading


def read_file(
    kind: SourceKind, name: str, dists: Sequence[str], place: Place
) -> list[Reading] | None:
    """All readings of a file; None when it cannot be read.

    ``dists`` are the names that variables and images are read for. Raises ConfigError for a lock
    file that is not valid.
    """
    limit = _LOCK_LIMIT if kind is SourceKind.LOCK else 2_000_000
    text = place.files.read(place.root / name, limit=limit)
    if text is None:
        return None
    is_lock = PurePosixPath(name).suffix in {".toml", ".lock"}
    if kind is SourceKind.LOCK or (kind is SourceKind.REQUIREMENTS and is_lock):
        return parse_lock(text, name, dists)
    if kind is SourceKind.REQUIREMENTS:
        return _with_included(name, text, place)
    return parse_script(text, name, dists)


def pinned_by(
    readings: Sequence[Reading], name: str, target: Target, place: Place
) -> Outcome | None:
    """What a file's readings say about a target; None when they are not about it."""
    reading = choose([reading for reading in readings if _concerns(reading, target)])
    if reading is None:
        return None
    return _followed(reading, target, place, (place.root / name).parent)


def submodules(place: Place) -> list[Submodule]:
    """Entries of the project's ``.gitmodules``."""
    return parse_gitmodules(place.files.read(place.root / ".gitmodules") or "")


def _concerns(reading: Reading, target: Target) -> bool:
    """True when a reading is about a target; a local path counts when its name says so."""
    if isinstance(reading, CheckoutAt) and not reading.dist:
        return PurePosixPath(reading.path).name.lower() in target.dists
    return is_about(reading, target)


def _with_included(name: str, text: str, place: Place) -> list[Reading]:
    """Readings of a requirement file and of those that it includes, each once."""
    seen, queue, readings = {name}, [(name, text)], list[Reading]()
    while queue:
        path, body = queue.pop(0)
        readings += parse_requirements(body, path)
        for included in included_files(body):
            below = str(PurePosixPath(path).parent / included)
            if below in seen or len(seen) > _MAX_INCLUDED:
                continue
            seen.add(below)
            queue.append((below, place.files.read(place.root / below) or ""))
    return readings


def _installed(source: PinSource, target: Target, place: Place) -> Outcome:
    sites = [site for prefix in place.prefixes for site in site_directories(place.files, prefix)]
    if not sites:
        mend = 'set python = "…/bin/python" of the training environment'
        return _nothing(target, source, "no environment to read", mend)
    reading = read_distribution(place.files, sites, target)
    if reading is None:
        mend = 'set python = "…/bin/python" of the environment that has it'
        return _nothing(target, source, f"is not installed in {sites[0]}", mend)
    return _followed(reading, target, place, place.root)


def _submodule(path: str, target: Target, place: Place) -> Outcome:
    where = Source(".gitmodules")
    module = next((one for one in submodules(place) if one.path == path.rstrip("/")), None)
    if module is None:
        source = PinSource(SourceKind.SUBMODULE, path)
        mend = "name a path of .gitmodules, or use checkout:PATH"
        return _nothing(target, source, "is not in .gitmodules", mend)
    where = Source(".gitmodules", module.line)
    reading = read_checkout(place.files, place.root / module.path, where, target)
    if isinstance(reading, NotFound):
        mend = 'run "git submodule update --init", or set ref in the configuration'
        return replace(reading, reason="the submodule is not checked out", mend=mend)
    return replace(reading, note=None)


def _followed(reading: Reading, target: Target, place: Place, base: Path) -> Outcome:
    """A local install followed into its checkout."""
    if not isinstance(reading, CheckoutAt):
        return reading
    path = base / reading.path.removeprefix("file:")
    return read_checkout(place.files, path, reading.where, target)


def _nothing(target: Target, source: PinSource, reason: str, mend: str) -> NotFound:
    return NotFound(
        dist=target.dists[0],
        written=str(source),
        where=Source(source.name),
        reason=reason,
        mend=mend,
    )
