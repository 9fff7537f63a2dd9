"""Finds the files that say what the user runs, and the packages of the user's environment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from watcher.errors import ConfigError
from watcher.pipeline.installed import active_prefixes, installed_versions, site_directories
from watcher.ports.files import Files
from watcher.settings import Settings
from watcher.usage.read import UsageInput

_CONFIG_FILES: Final = ("*.yaml", "*.yml", "*.sh", "*.bash", "*.json")
_MOST_FILES: Final = 2_000
_FILE_LIMIT: Final = 1_000_000


def gather_inputs(files: Files, settings: Settings, more: Sequence[str] = ()) -> list[UsageInput]:
    """Configuration, scripts and code of ``[usage]``, then the files named on a command line.

    Raises ConfigError for a file that is named and cannot be read.
    """
    usage = settings.usage
    paths: dict[Path, None] = {}
    for entry in usage.config:
        paths.update(dict.fromkeys(_matching(files, settings.root, entry, _CONFIG_FILES)))
    for entry in usage.code:
        paths.update(dict.fromkeys(_matching(files, settings.root, entry, ("*.py",))))
    for entry in more:
        paths[Path.cwd() / entry] = None
    return [_read(files, settings.root, path) for path in list(paths)[:_MOST_FILES]]


def digest_of(inputs: Iterable[UsageInput], *parts: str) -> str:
    """Names a set of files and whatever else the usage depends on."""
    hashed = hashlib.sha256()
    for text in (*parts, *(text for one in inputs for text in (one.path, one.text))):
        hashed.update(len(text).to_bytes(8, "little"))
        hashed.update(text.encode("utf-8", "replace"))
    return hashed.hexdigest()[:32]


def known_packages(
    files: Files, settings: Settings, environment: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Versions of the distributions in the user's environment, by name."""
    prefixes = active_prefixes(files, settings.root, environment)
    sites = [site for prefix in prefixes for site in site_directories(files, prefix)]
    return tuple(sorted(installed_versions(files, sites).items()))


def _matching(files: Files, root: Path, entry: str, patterns: Sequence[str]) -> list[Path]:
    path = root / entry
    if files.read(path, limit=1) is not None:
        return [path]
    if any(char in entry for char in "*?["):
        return files.find(root, [entry.removeprefix("./")])
    if files.names(path):
        return files.find(path, patterns)
    raise ConfigError(
        f"`{entry}` is not there", where="usage", mend="name an existing file, folder or pattern"
    )


def _read(files: Files, root: Path, path: Path) -> UsageInput:
    text = files.read(path, limit=_FILE_LIMIT)
    if text is None:
        raise ConfigError(f"`{path}` cannot be read", where="usage", mend="name a readable file")
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return UsageInput(name.as_posix(), text)
