"""Values of a foreign JSON document -> typed values; what is missing or odd is a default.

Pure. GitHub's answers may lack any key (old servers, partial results), so nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from watcher.history.body import RAW_LIMIT
from watcher.history.plain_text import TITLE_LIMIT, bounded_line, bounded_text

Node = Mapping[str, object]
"""A JSON object."""

_EMPTY: Final[Node] = {}
_LARGEST: Final = 2**31 - 1


def node(value: object, *path: str) -> Node:
    """The object at a path of keys, or an empty one."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else _EMPTY


def nodes(value: object, *path: str) -> Iterator[Node]:
    """The objects of the list at a path of keys; anything else in the list is skipped."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping):
                yield item


def text(value: object, limit: int = RAW_LIMIT) -> str:
    """A text of several lines, made plain; empty when it is none."""
    return bounded_text(value, limit) if isinstance(value, str) else ""


def line(value: object, limit: int = TITLE_LIMIT) -> str:
    """A text of one line, made plain; empty when it is none."""
    return bounded_line(value, limit) if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """A positive number that a database takes, or None."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and 0 < value <= _LARGEST else None


def count(value: object) -> int:
    """A count, at least 0."""
    return number(value) or 0


def time(value: object) -> datetime | None:
    """An ISO 8601 time as aware UTC, or None."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    try:
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except OverflowError:
        return None
