"""``${a.b}`` and ``${oc.select:a.b,default}`` of a composed configuration, filled in.

Pure and without resolvers: nothing is read from the environment and nothing is called. What cannot
be filled in stays as written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_INTERPOLATION: Final = re.compile(
    r"\$\{(?:oc\.select:)?(?P<dots>\.*)(?P<key>[A-Za-z_][\w.]*)(?:,(?P<fallback>[^{}]*))?\}"
)
_MAX_STEPS: Final = 8


def interpolate(values: Mapping[str, str]) -> dict[str, str]:
    """The same keys with references among them replaced by what they refer to."""
    return {key: _resolve(key, value, values) for key, value in values.items()}


def _resolve(key: str, value: str, values: Mapping[str, str]) -> str:
    for _ in range(_MAX_STEPS):
        if "${" not in value or len(value) > 5_000:
            return value
        filled = _INTERPOLATION.sub(lambda found: _look_up(found, key, values), value)
        if filled == value:
            return value
        value = filled
    return value


def _look_up(found: re.Match[str], key: str, values: Mapping[str, str]) -> str:
    target = found.group("key")
    if dots := len(found.group("dots")):
        parents = key.split(".")[:-dots]
        target = ".".join([*parents, target])
    if target in values:
        return values[target]
    fallback = found.group("fallback")
    return found.group() if fallback is None else fallback.strip()
