"""The user's files and declarations to one ``Usage``.

Pure: texts come in as arguments. Reading the files (``read_inputs``) and weighing them against the
upstreams' own configuration (``join_usage``) are two steps, so that the first can be kept by the
hashes of the files and the second by the pins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct, field

from watcher.facts.usage import Source, Usage
from watcher.upstreams.profile import Profile
from watcher.usage.baseline import Baseline, compare
from watcher.usage.facets import Grounds, read_facets
from watcher.usage.given import Reading, join_readings, parse_override
from watcher.usage.scale import read_scale

UNKNOWN_KEY: Final = "not a key of the configuration at the pin"
"""Reason in ``Usage.not_understood`` of a key that no pinned upstream knows."""
_YAML: Final = frozenset({".yaml", ".yml", ".json"})
_SHELL: Final = frozenset({"", ".sh", ".bash", ".zsh", ".slurm", ".sbatch", ".txt", ".env", ".cmd"})


class UsageInput(Struct, frozen=True):
    """One file of the user."""

    path: str
    """Relative to the configuration, with forward slashes."""
    text: str


class Declared(Struct, frozen=True, kw_only=True):
    """What the configuration says in so many words."""

    source: Source = field(default_factory=lambda: Source("watcher.toml"))
    keywords: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    gpus: int | None = None
    hardware: str | None = None
    packages: tuple[tuple[str, str], ...] = ()
    overrides: tuple[str, ...] = ()
    """``key=value`` settings given on a command line; they come last."""


def read_inputs(inputs: Sequence[UsageInput], profiles: Sequence[Profile]) -> Reading:
    """What all files say, in order."""
    scripts: dict[str, str] = {}
    for profile in profiles:
        scripts |= profile.entry_points
    roots = frozenset(profile.module for profile in profiles)
    files = {item.path: item.text for item in inputs}
    return join_readings(_read_one(item, files, scripts, roots) for item in inputs)


def _read_one(
    item: UsageInput, files: Mapping[str, str], scripts: Mapping[str, str], roots: frozenset[str]
) -> Reading:
    # Imported here: a usage that is kept by its files' hashes needs no reader.
    from watcher.usage.launch import read_launch_script
    from watcher.usage.python_code import read_python
    from watcher.usage.yaml_reader import read_yaml

    suffix = PurePosixPath(item.path).suffix.lower()
    if suffix in _YAML:
        return read_yaml(item.text, item.path, files, scripts)
    if suffix == ".py":
        return read_python(item.text, item.path, roots)
    if suffix in _SHELL:
        return read_launch_script(item.text, item.path, scripts)
    reason = f"not a configuration, launch script or Python source ({suffix})"
    return Reading(not_understood=((Source(item.path), reason),))


def join_usage(
    reading: Reading,
    profiles: Sequence[Profile],
    *,
    declared: Declared = Declared(),
    baselines: Sequence[Baseline] = (),
) -> Usage:
    """The usage: settings in force with departures and rarity, facets, scale, code, keywords."""
    overrides = [parse_override(text, Source("--set")) for text in declared.overrides]
    refused = tuple(
        (Source("--set"), f"{text}: not key=value")
        for text, item in zip(declared.overrides, overrides, strict=True)
        if item is None
    )
    given = [*reading.settings, *(item for item in overrides if item)]
    compared = compare(given, baselines)
    environment = tuple({name: value for name, value, _ in reading.environment}.items())
    scale = read_scale(compared.settings, environment)
    hardware = (declared.hardware, declared.source) if declared.hardware else None
    grounds = Grounds(compared.settings, reading.code, reading.entry_points, hardware)
    unknown = tuple((item.source, f"{item.key}: {UNKNOWN_KEY}") for item in compared.unknown)
    failed = tuple(
        (Source(f"{one.upstream}:{one.source}"), one.reason) for one in baselines if one.reason
    )
    return Usage(
        settings=compared.settings,
        code=reading.code,
        facets=read_facets((rule for one in profiles for rule in one.facets), grounds),
        keywords=declared.keywords,
        paths=declared.paths,
        entry_points=tuple(dict.fromkeys(module for module, _ in reading.entry_points)),
        environment=environment,
        packages=declared.packages,
        gpus=declared.gpus if declared.gpus is not None else scale.gpus,
        nodes=scale.nodes,
        hardware=declared.hardware or _hardware_of(grounds, profiles),
        not_understood=(*reading.not_understood, *refused, *unknown, *failed),
    )


def _hardware_of(grounds: Grounds, profiles: Iterable[Profile]) -> str | None:
    rules = [rule for one in profiles for rule in one.facets if rule.group == "hardware"]
    return next((use.name for use in read_facets(rules, grounds) if use.is_on), None)
