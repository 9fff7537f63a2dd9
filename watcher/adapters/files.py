"""The user's files and the package's own data, read from disk. Read only; never raises OSError."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from watcher.errors import ConfigError

MAX_FOUND: Final = 5_000
MAX_VISITED: Final = 200_000
"""Bounds of one search: files returned, names looked at."""

_LEFT_OUT: Final = frozenset(
    {
        "__pycache__",
        "build",
        "dist",
        "env",
        "node_modules",
        "outputs",
        "site-packages",
        "venv",
        "wandb",
    }
)
"""Directories that hold no text written by the user."""


class DiskFiles:
    """``ports.Files`` on the file system."""

    def read(self, path: Path, *, limit: int = 2_000_000) -> str | None:
        """Text of a regular file up to ``limit`` bytes, or None when it cannot be read."""
        try:
            if not path.is_file():
                return None
            with path.open("rb") as file:
                return file.read(limit).decode("utf-8", "replace")
        except (OSError, ValueError):
            return None

    def find(self, root: Path, patterns: Sequence[str]) -> list[Path]:
        """Files under ``root`` whose name, or path below it, matches a pattern; sorted."""
        found: list[Path] = []
        for visited, path in enumerate(_walk(root), 1):
            below = path.relative_to(root).as_posix()
            if any(fnmatch(below if "/" in glob else path.name, glob) for glob in patterns):
                found.append(path)
            if len(found) >= MAX_FOUND or visited >= MAX_VISITED:
                break
        return sorted(found)

    def names(self, directory: Path) -> list[str]:
        """Names in a directory, sorted; empty when it cannot be read."""
        try:
            return sorted(entry.name for entry in directory.iterdir())
        except (OSError, ValueError):
            return []


def _walk(root: Path) -> Iterator[Path]:
    """Files below a directory; links to directories are not followed, odd names are left out."""
    for directory, directories, names in os.walk(root):
        directories[:] = sorted(
            name
            for name in directories
            if name not in _LEFT_OUT and not name.startswith(".") and name.isprintable()
        )
        for name in sorted(filter(str.isprintable, names)):
            yield Path(directory, name)


# --- package data ---


def read_profile_text(name: str) -> str:
    """Text of a file in ``watcher/upstreams`` (``verl.toml``). Raises ConfigError."""
    try:
        return resources.files("watcher.upstreams").joinpath(name).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"no profile file {name!r:.60}", where="watcher") from error


@cache
def data_directory(name: str) -> Path:
    """Directory of shipped data, ``templates`` or ``migrations``: in the wheel, or in a checkout.

    Raises ConfigError when the installation lacks it.
    """
    package = Path(str(resources.files("watcher")))
    for candidate in (package / "_data" / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise ConfigError(f"the installation lacks {name}", where=str(package), mend="install it anew")
