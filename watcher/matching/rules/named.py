"""Keywords and upstream files that the user's configuration names.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal


def named_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """Files and words under ``[usage]`` that the change touches or speaks of."""
    for file in change.diff.files:
        for path in context.usage.paths:
            if path in {file.path, file.old_path} or _is_below(file.path, path):
                yield Signal(
                    "path", 1.0, EvidenceKind.PATH, f"touches {file.path}, which you rely on"
                )
                break
        else:
            continue
        break
    for word in context.usage.keywords:
        if place := _place_of(word, change):
            strength = 0.5 if place == "description" else 1.0
            yield Signal(
                "keyword",
                strength,
                EvidenceKind.KEYWORD,
                f"its {place} names your keyword {word!r}",
            )
            break


def _is_below(path: str, directory: str) -> bool:
    return path.startswith(f"{directory.rstrip('/')}/")


def _place_of(word: str, change: Change) -> str:
    """Where a change names a keyword first: title, file names, code or description."""
    pattern = _pattern(word)
    if pattern.search(change.message.title):
        return "title"
    if any(pattern.search(file.path) for file in change.diff.files):
        return "file list"
    functions = (name for file in change.diff.files for name in file.functions)
    if any(pattern.search(name) for name in (*functions, *change.diff.identifiers)):
        return "code"
    return "description" if pattern.search(change.message.body) else ""


@lru_cache(maxsize=256)
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", re.IGNORECASE)
