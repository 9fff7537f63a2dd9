"""The text of a lock file, read as far as it is needed: other packages blanked, lines kept. Pure.

A lock of a training stack is a megabyte and a tenth of a second to parse; a pin needs one entry.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from watcher.errors import ConfigError
from watcher.facts.usage import Source
from watcher.pins.records import normalise
from watcher.settings.toml_text import load_toml

Entry = Mapping[str, object]

_BLOCK = re.compile(r"^\[\[packages?\]\][ \t]*$", re.MULTILINE)
_NAMED = re.compile(r"""^[ \t]*(?:name[ \t]*=[ \t]*)?["']?([A-Za-z0-9][A-Za-z0-9._-]*)""")
_HEAD = 600
"""Characters of a package's table in which its name and source stand."""


def only_packages(text: str, dists: Collection[str]) -> str:
    """The text with the ``[[package]]`` tables blanked that mention none of the names.

    Lines keep their numbers. No name means all packages.
    """
    starts = [match.start() for match in _BLOCK.finditer(text)]
    if not dists or not starts:
        return text
    spelled = [re.escape(dist).replace(r"\-", "[-_.]") for dist in dists]
    wanted = re.compile("|".join(spelled), re.IGNORECASE)
    parts = [text[: starts[0]]]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        is_wanted = wanted.search(text, start, min(end, start + _HEAD))
        parts.append(text[start:end] if is_wanted else "\n" * text.count("\n", start, end))
    return "".join(parts)


def load_document(text: str, path: str) -> Entry:
    """The document of a TOML or JSON (``Pipfile.lock``) text. Raises ConfigError."""
    try:
        data: object = json.loads(text) if path.endswith("Pipfile.lock") else load_toml(text)
    except (ValueError, RecursionError) as error:
        what = " ".join(str(error).split())[:120] or "nested too deeply"
        raise ConfigError(f"not valid: {what}", where=path, mend="write the lock anew") from error
    return data if isinstance(data, dict) else {}


class LineFinder:
    """Finds the line on which a package's name stands, in one pass over the text."""

    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._lines: dict[str, int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if match := _NAMED.match(line[:300]):
                self._lines.setdefault(normalise(match[1]), number)

    def source(self, dist: str) -> Source:
        """Where a package is named first."""
        return Source(self._path, self._lines.get(normalise(dist)))
