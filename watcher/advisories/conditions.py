"""Does a predicate on a setting hold for a usage. Pure.

A key is matched as a dotted suffix: ``rollout.max_model_len`` finds
``actor_rollout_ref.rollout.max_model_len``; dashes and underscores are one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from watcher.advisories.record import Condition
from watcher.facts.usage import Setting

_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0"})
_NONE: Final = frozenset({"null", "none", "~", ""})


class SettingsView:
    """Settings by normalised key, asked by suffix."""

    def __init__(self, settings: tuple[Setting, ...]) -> None:
        self._by_last: dict[str, list[tuple[str, Setting]]] = {}
        for setting in settings:
            key = _key(setting.key)
            self._by_last.setdefault(key.rpartition(".")[2], []).append((key, setting))

    def value(self, key: str) -> str | None:
        """Value of the setting whose key ends in ``key``; None when unknown.

        The user's own word counts over defaults, the last one given over earlier ones, and among
        defaults the shortest key.
        """
        wanted = _key(key)
        found = [
            (full, setting)
            for full, setting in self._by_last.get(wanted.rpartition(".")[2], ())
            if full == wanted or full.endswith("." + wanted)
        ]
        own = [setting for _, setting in found if not setting.is_default]
        if own:
            return own[-1].value
        return min(found, key=lambda one: len(one[0]))[1].value if found else None


def holds(condition: Condition, settings: SettingsView) -> bool | None:
    """True or False where the setting is known, None where it is not."""
    value = settings.value(condition.key)
    if condition.operator in {"set", "unset"}:
        is_set = value is not None and _literal(value) != "none"
        return is_set if condition.operator == "set" else not is_set
    if value is None:
        return None
    wanted: str | None = condition.value
    if condition.value.startswith("{"):
        wanted = settings.value(condition.value.strip("{}"))
    return None if wanted is None else _compare(condition.operator, value, wanted)


def describe(condition: Condition, settings: SettingsView) -> str:
    """What was read, as ``key=value``."""
    keys = [condition.key]
    if condition.value.startswith("{"):
        keys.append(condition.value.strip("{}"))
    read = [(key, settings.value(key)) for key in keys]
    return ", ".join(f"{key} is not set" if one is None else f"{key}={one}" for key, one in read)


def _compare(sign: str, value: str, wanted: str) -> bool | None:
    try:
        one, other = float(value), float(wanted)
    except ValueError:
        if sign not in {"==", "!="}:
            return None
        return (_literal(value) == _literal(wanted)) is (sign == "==")
    return _COMPARE[sign](one, other)


def _key(key: str) -> str:
    return key.lstrip("+~-").replace("-", "_").casefold()


def _literal(value: str) -> str:
    text = value.strip().strip("'\"").casefold()
    for group, name in ((_TRUE, "true"), (_FALSE, "false"), (_NONE, "none")):
        if text in group:
            return name
    return text


def version_map(packages: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    """Package versions by normalised distribution name."""
    return {name.replace("_", "-").casefold(): version for name, version in packages}
