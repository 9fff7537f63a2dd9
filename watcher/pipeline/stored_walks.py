"""How far issues were read <-> the text of a store cursor. Pure.

A text that cannot be read (another version's, damaged) is as good as none: the walk starts anew,
and what it meets again is saved over itself.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Final, TypeVar

from msgspec.structs import fields

from watcher.history.json_values import time
from watcher.ports.issue_walk import IssueWalk, OpenWalk

_FORM: Final = 1
_Walk = TypeVar("_Walk", IssueWalk, OpenWalk)
_TIMES: Final = frozenset({"since", "reached", "newest", "floor", "top", "low"})


def walk_text(walk: IssueWalk | OpenWalk) -> str:
    """The walk as JSON text."""
    values: dict[str, object] = {"form": _FORM}
    for field in fields(walk):
        value = getattr(walk, field.name)
        values[field.name] = value.isoformat() if isinstance(value, datetime) else value
    return json.dumps(values)


def read_walk(kind: type[_Walk], text: str | None) -> _Walk | None:
    """The walk of a cursor's text, or None."""
    try:
        values = json.loads(text or "null")
        if not isinstance(values, dict) or values.pop("form", None) != _FORM:
            return None
        for name in _TIMES & values.keys():
            values[name] = time(values[name])
        if "labels" in values:
            values["labels"] = tuple(str(label) for label in values["labels"])
        return kind(**values) if _is_whole(kind, values) else None
    except (ValueError, TypeError):
        return None


def _is_whole(kind: type[IssueWalk | OpenWalk], values: dict[str, object]) -> bool:
    needed = ("since", "reached") if kind is IssueWalk else ("floor",)
    return all(isinstance(values.get(name), datetime) for name in needed)
