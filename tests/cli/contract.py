"""The JSON contract (``watcher/1``) as shapes: each key with the types that it may have.

A shape is a type, a tuple of alternatives, a list of one shape or a dict of keys; None is null.
Keys may be added, so a document may have more of them than its shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

Shape = Any


class Text:
    """A string that matches a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = re.compile(pattern)

    def __repr__(self) -> str:
        return f"text like {self.pattern.pattern}"


TIME: Final = Text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
SHA: Final = Text(r"[0-9a-f]{40}")
TIER: Final = Text("likely|possible|unlikely")
PRESENCE: Final = Text("present|partly|absent|contained|withdrawn|unknown")
KIND: Final = Text("fix|feature|refactor|perf|revert|docs|ci|test|chore|other|issue|advisory")
NAME: Final = Text(r"advisory:\S+|[\w.-]+[#@][0-9a-f]+")

PIN: Final[Shape] = {
    "name": str,
    "upstream": Text(r"[^/\s]+/[^/\s]+"),
    "ref": str,
    "sha": (SHA, None),
    "reason": (str, None),
    "committed_at": (TIME, None),
    "head": (SHA, None),
    "behind": (int, None),
    "fixes_behind": (int, None),
    "synced_at": (TIME, None),
    "known_until": (TIME, None),
    "stale": bool,
}
EVIDENCE: Final[Shape] = {
    "kind": Text(
        "frame|symbol|path|import|config|keyword|text|facet|issue|backport|severity|scope"
    ),
    "weight": float,
    "detail": str,
}
ROUTE: Final[Shape] = {
    "kind": Text("release|backport|cherry-pick|upgrade"),
    "rebuild": bool,
    "detail": str,
}
ITEM: Final[Shape] = {
    "rank": (int, None),
    "id": NAME,
    "pin": str,
    "kind": KIND,
    "number": (int, None),
    "sha": (SHA, None),
    "title": str,
    "url": (str, None),
    "merged_at": (TIME, None),
    "opened_at": (TIME, None),
    "state": (Text("merged|open|closed"), None),
    "mended_by": (NAME, None),
    "presence": PRESENCE,
    "presence_detail": (str, None),
    "introduced_by": (NAME, None),
    "withdrawn_by": (NAME, None),
    "tier": (TIER, None),
    "score": (float, None),
    "evidence": [EVIDENCE],
    "family": [NAME],
    "first_release": (str, None),
    "routes": [ROUTE],
}
SYMPTOM: Final[Shape] = {
    "errors": [str],
    "frames": [{"path": str, "function": (str, None)}],
    "config": [str],
    "words": [str],
}
ANSWER: Final[Shape] = {
    "schema": Text("watcher/1"),
    "command": str,
    "generated_at": TIME,
    "pins": [PIN],
    "symptom": (SYMPTOM, None),
    "items": [ITEM],
    "suspects": [ITEM],
    "collapsed": dict,
    "no_match": (bool, None),
    "not_watched": [str],
    "searched": {"changes": int, "issues": int},
}


def breaches(document: object, shape: Shape = ANSWER, where: str = "$") -> Iterator[str]:
    """Where a document does not have its shape."""
    if isinstance(shape, tuple):
        found = [list(breaches(document, one, where)) for one in shape]
        if all(found):
            yield min(found, key=len)[0]
    elif isinstance(shape, dict) and isinstance(document, dict):
        for key, inner in shape.items():
            if key in document:
                yield from breaches(document[key], inner, f"{where}.{key}")
            else:
                yield f"{where}.{key} is missing"
    elif isinstance(shape, list) and isinstance(document, list):
        for place, one in enumerate(document):
            yield from breaches(one, shape[0], f"{where}[{place}]")
    elif not _fits(document, shape):
        yield f"{where} is {document!r}, not {shape}"


def _fits(value: object, shape: Shape) -> bool:
    if shape is None:
        return value is None
    if isinstance(shape, Text):
        return isinstance(value, str) and shape.pattern.fullmatch(value) is not None
    if shape is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if shape is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(shape, type) and isinstance(value, shape)
