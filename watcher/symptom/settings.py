"""Settings in free text: Hydra overrides, command-line flags, environment assignments.

Pure. Text in, ``(key, value)`` pairs out, in order of appearance, without duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

MAX_VALUE: Final = 200
"""Characters kept of a value."""

_VALUE = r"[^\s'\"\\,\])`，。；、）]{1,200}"
_OVERRIDE = re.compile(
    r"(?<![\w./+-])\+{0,2}(?P<key>[A-Za-z_]\w{0,80}(?:\.\w{1,80}){1,12})=(?P<value>" + _VALUE + ")",
    re.ASCII,
)
_FLAG = re.compile(
    r"(?<![\w./+-])--(?P<key>[A-Za-z][\w.-]{1,80})"
    r"(?:=(?P<value>[^\s\\`'\"，。；、）]{1,200})"
    r"| (?P<next>[^\s\\`'\"=+-][^\s\\`'\"=，。；、）]{0,200})(?![^\s\\]))?",
    re.ASCII,
)
_ENVIRONMENT = re.compile(
    r"(?<![\w./+-])(?P<key>[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,10})=(?P<value>" + _VALUE + ")",
    re.ASCII,
)
_BARE = re.compile(
    r"\+{0,2}-{0,2}(?P<key>[A-Za-z_][\w.-]{0,160})(?:[=:](?P<value>.{0,200}))?\s*$", re.DOTALL
)


def find_settings(text: str) -> list[tuple[str, str]]:
    """Dotted overrides, long flags and environment assignments of a text."""
    found: dict[tuple[str, str], None] = {}
    if "=" in text:
        for pattern in (_OVERRIDE, _ENVIRONMENT):
            for match in pattern.finditer(text):
                found[match["key"], match["value"]] = None
    if "--" in text:
        for match in _FLAG.finditer(text):
            found[match["key"], match["value"] or match["next"] or ""] = None
    return list(found)


def parse_override(text: str) -> tuple[str, str]:
    """One setting as given by ``--set``: ``key=value``, ``--flag value`` or a bare name."""
    head = text.strip()[:1_000]
    if head.startswith("--") and "=" not in head:
        key, _, value = head[2:].partition(" ")
        return key, value.strip()[:MAX_VALUE]
    match = _BARE.match(head)
    if match:
        return match["key"], (match["value"] or "").strip()[:MAX_VALUE]
    key, _, value = head.partition("=")
    return key.lstrip("+-").strip(), value.strip()[:MAX_VALUE]


def merge_settings(
    groups: Iterable[Sequence[tuple[str, str]]], *, limit: int
) -> tuple[tuple[str, str], ...]:
    """All groups in order, each pair once, at most ``limit``."""
    merged: dict[tuple[str, str], None] = {}
    for group in groups:
        for pair in group:
            if len(merged) >= limit:
                return tuple(merged)
            merged[pair] = None
    return tuple(merged)
