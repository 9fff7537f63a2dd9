"""Which file holds the configuration: ``--config``, ``WATCHER_CONFIG``, or the nearest one upwards.

Pure; files are read by the callable that is handed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from watcher.errors import ConfigError

FILE_NAME = "watcher.toml"
_TOOL_TABLE = re.compile(r"^[ \t]*\[{1,2}[ \t]*tool[ \t]*\.[ \t]*watcher\b", re.MULTILINE)

Reader = Callable[[Path], str | None]


def find_config(start: Path, read: Reader) -> Path | None:
    """The nearest ``watcher.toml``, or ``pyproject.toml`` with ``[tool.watcher]``, from ``start``
    upwards; None when there is none.
    """
    for directory in (start, *start.parents):
        if read(directory / FILE_NAME) is not None:
            return directory / FILE_NAME
        project = directory / "pyproject.toml"
        if _TOOL_TABLE.search(read(project) or ""):
            return project
    return None


def locate_config(
    chosen: Path | None, *, start: Path, environment: Mapping[str, str], read: Reader
) -> Path:
    """The configuration file to use. Raises ConfigError when there is none."""
    variable = environment.get("WATCHER_CONFIG", "").strip()
    named = chosen or (Path(variable) if variable else None)
    if named is None:
        found = find_config(start, read)
        if found is None:
            what = f"no {FILE_NAME} here or above"
            raise ConfigError(what, where=str(start), mend='run "watcher init" to write one')
        return found
    path = start / named
    if read(path) is None:
        origin = "--config" if chosen else "WATCHER_CONFIG"
        raise ConfigError("cannot be read", where=f"{origin} {path}", mend="name a readable file")
    return path
