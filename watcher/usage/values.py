"""Configuration keys and values compared as their meaning asks, not letter by letter.

Pure. ``True`` and ``true`` are one value, ``1e-6`` and ``0.000001`` too; for "how common is this
value" numbers within a factor of four and all file paths count as alike.
"""

from __future__ import annotations

import math
import re
from typing import Final

_NOTHING: Final = frozenset({"none", "null", "~", ""})
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][+-]?\d{1,3})?")
_ALIKE_FACTOR: Final = 4.0


def canonical_key(key: str) -> str:
    """``--tensor-parallel-size`` and ``tensor_parallel_size`` as one key."""
    return key.strip().lstrip("-+~").replace("-", "_")


def is_suffix(suffix: str, key: str) -> bool:
    """True when a dotted key is the suffix or ends in it at a dot; dashes count as underscores."""
    if not key.endswith(suffix[-1:]):
        return False  # most keys; spares the rest
    key, suffix = canonical_key(key), canonical_key(suffix)
    return key == suffix or key.endswith(f".{suffix}")


def canonical(value: str) -> str:
    """A value in one spelling: lower-case words for true, false and null, plain numbers."""
    text = value.strip()
    lower = text.lower()
    if lower in _NOTHING:
        return "null"
    if lower in {"true", "false"}:
        return lower
    number = as_number(text)
    if number is not None:
        return f"{number:g}"
    if text[:1] in "[{(":
        return re.sub(r"[\s'\"]", "", text)
    return text


def as_number(value: str) -> float | None:
    """The finite number that a value is, or None."""
    if not _NUMBER.fullmatch(value.strip()):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def is_alike(one: str, other: str) -> bool:
    """True when two values would make no one look twice: equal, near numbers, or two paths."""
    left, right = canonical(one), canonical(other)
    if left == right:
        return True
    a, b = as_number(left), as_number(right)
    if a is not None and b is not None:
        return a * b > 0 and max(a / b, b / a) <= _ALIKE_FACTOR
    return is_path(left) and is_path(right)


def is_path(value: str) -> bool:
    """True for file paths, model names with an owner, and what a shell variable would complete."""
    return "/" in value or value.startswith("$")


def is_truthy(value: str) -> bool:
    """What ``if config.key:`` would decide for a configured value."""
    text = canonical(value)
    return text not in {"false", "null", "0", "[]", "{}"}
