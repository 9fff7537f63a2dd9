"""Installed distributions of an environment, read from its metadata files -> readings.

Gathers through ``ports.Files``; imports and runs nothing of the environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from watcher.facts.usage import Source
from watcher.pins.metadata import InstalledTexts, installed_version, read_installed
from watcher.pins.records import CheckoutAt, Reading, normalise
from watcher.pins.targets import Target
from watcher.ports.files import Files

_SYSTEM_SITE = re.compile(
    r"^include-system-site-packages[ \t]*=[ \t]*true", re.MULTILINE | re.IGNORECASE
)
_HOME = re.compile(r"^home[ \t]*=[ \t]*([^\r\n]+)", re.MULTILINE)


def prefix_of(python: Path) -> Path:
    """The environment of an interpreter (``…/env/bin/python`` -> ``…/env``); links are not
    followed, since a virtual environment's interpreter is one.
    """
    return python.parent.parent


def active_prefixes(files: Files, root: Path, environment: Mapping[str, str]) -> list[Path]:
    """Environments that a user most likely means: the active ones, then the project's own."""
    names = ("VIRTUAL_ENV", "CONDA_PREFIX")
    active = [Path(value) for name in names if (value := environment.get(name, "").strip())]
    own = [root / name for name in (".venv", "venv", "env") if files.names(root / name / "lib")]
    return list(dict.fromkeys([*active, *own]))


def site_directories(files: Files, prefix: Path) -> list[Path]:
    """Directories of an environment that hold distributions, its base's too where it uses them."""
    settings = files.read(prefix / "pyvenv.cfg", limit=20_000) or ""
    prefixes = [prefix]
    home = _HOME.search(settings)
    if home and _SYSTEM_SITE.search(settings):
        prefixes.append(Path(home[1].strip()).parent)
    found = [directory for each in prefixes for directory in _sites(files, each)]
    return list(dict.fromkeys(found))


def read_distribution(files: Files, sites: list[Path], target: Target) -> Reading | None:
    """The reading of a target's distribution in the first site directory that has it."""
    for site in sites:
        names = files.names(site)
        for name in names:
            if _dist_of(name) in target.dists:
                return _read(files, site, name, target)
        for name in names:
            if name.endswith(".egg-link") and normalise(name[:-9]) in target.dists:
                path = (files.read(site / name, limit=4_096) or "").split("\n")[0].strip()
                where = Source(str(site / name))
                return CheckoutAt(dist=target.dists[0], path=path, where=where)
    return None


def installed_versions(files: Files, sites: list[Path]) -> dict[str, str]:
    """Version of every distribution by normalised name; the first site directory wins."""
    versions: dict[str, str] = {}
    for site in sites:
        for name in files.names(site):
            dist = _dist_of(name)
            if dist and dist not in versions:
                metadata = files.read(site / name / "METADATA", limit=4_096) or ""
                versions[dist] = installed_version(metadata) or _version_in_name(name)
    return versions


def _sites(files: Files, prefix: Path) -> list[Path]:
    homes = [prefix / "lib", prefix / "lib64", prefix / "local" / "lib"]
    below = [home / name for home in homes for name in files.names(home) if "python3" in name]
    kinds = ("site-packages", "dist-packages")
    return [path / kind for path in below for kind in kinds if files.names(path / kind)]


def _dist_of(name: str) -> str:
    """Normalised distribution name of a ``….dist-info`` directory, else an empty text."""
    return normalise(name.rsplit("-", 2)[0]) if re.fullmatch(r".+-.+\.dist-info", name) else ""


def _version_in_name(name: str) -> str:
    return name.removesuffix(".dist-info").rsplit("-", 1)[-1]


def _read(files: Files, site: Path, name: str, target: Target) -> Reading | None:
    package = site / target.module
    version_files = [
        files.read(package / file, limit=20_000) for file in ("version.py", "_version.py")
    ]
    return read_installed(
        InstalledTexts(
            dist=target.dists[0],
            where=str(site / name),
            metadata=files.read(site / name / "METADATA", limit=20_000),
            direct_url=files.read(site / name / "direct_url.json", limit=20_000),
            version_file="\n".join(text for text in version_files if text),
        )
    )
