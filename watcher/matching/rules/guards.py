"""Comparisons on changed lines against the values that the user has in force.

Pure. ``if strategy == "fsdp2"`` is reached by a user with that value and by nobody else; a change
whose every comparison of a key is false for the user is one that the user does not reach.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from watcher.facts.change import Change
from watcher.facts.diff import Guard
from watcher.facts.item import EvidenceKind, Tier
from watcher.facts.usage import Setting
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.values import as_number, canonical, canonical_key, is_suffix, is_truthy

_ORDERED: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_POSITIVE: Final = frozenset({"==", "in", "truthy", "falsy", *_ORDERED})
"""Comparisons that name the values for which code runs."""


def guard_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """Comparisons that hold for the user, and keys whose every comparison fails."""
    by_key: dict[str, list[Guard]] = {}
    for guard in change.diff.guards:
        if _is_telling(guard):
            by_key.setdefault(guard.key, []).append(guard)
    for key, guards in by_key.items():
        settings = _settings(key, context)
        if not settings:
            continue
        outcomes = [
            (guard, item, holds(guard, item.value)) for guard in guards for item in settings
        ]
        decided = [one for one in outcomes if one[2] is not None]
        held = next((one for one in decided if one[2]), None)
        if held is not None and not held[1].is_default:
            guard, item, _ = held
            detail = f"changes code under {_shown(guard)}; you have {_written(item)}"
            yield Signal("guard_holds", _weight(item, context), EvidenceKind.CONFIG, detail)
        elif held is None and decided and all(one.operator in _POSITIVE for one in guards):
            guard, item, _ = decided[0]
            detail = f"changes code under {_shown(guard)} only; you have {_written(item)}"
            at_most = Tier.LIKELY if _is_doubtful(key, item, change) else Tier.POSSIBLE
            yield Signal("guard_fails", 1.0, EvidenceKind.SCOPE, detail, at_most=at_most)


def _is_doubtful(key: str, item: Setting, change: Change) -> bool:
    """A default may be changed by the program, and a title that names the key is about the test."""
    leaf = key.rpartition(".")[2]
    return item.is_default or leaf.lower() in change.message.title.lower()


def holds(guard: Guard, value: str) -> bool | None:
    """Whether a comparison is true for a value; None when that cannot be told."""
    given, wanted = canonical(value), canonical(guard.value)
    match guard.operator:
        case "truthy":
            return is_truthy(value)
        case "falsy":
            return not is_truthy(value)
        case "==" | "is" | "in":
            return given == wanted
        case "!=" | "is not" | "not in":
            return given != wanted
        case _:
            left, right = as_number(given), as_number(wanted)
            compare = _ORDERED.get(guard.operator)
            if left is None or right is None or compare is None:
                return None
            return compare(left, right)


def _settings(key: str, context: UsageContext) -> list[Setting]:
    """Settings that a compared name can mean: the last part agrees, and the one before if given."""
    parts = canonical_key(key).split(".")
    found = context.in_force.get(parts[-1], ())
    if len(parts) > 1:
        suffix = ".".join(parts[-2:])
        return [item for item in found if is_suffix(suffix, item.key)]
    # A bare local name (``strategy``) means a setting only when it is not a word of all code.
    return list(found) if len(parts[-1]) >= 6 else []


def _is_telling(guard: Guard) -> bool:
    """Comparisons with nothing (``is None``) say little: code asks that of everything."""
    return guard.operator in {"truthy", "falsy"} or canonical(guard.value) != "null"


def _weight(item: Setting, context: UsageContext) -> float:
    return max((one.importance for one in context.settings if one.setting is item), default=0.1)


def _written(item: Setting) -> str:
    return f"{item.key}={item.value} ({item.source})"


def _shown(guard: Guard) -> str:
    match guard.operator:
        case "truthy":
            return f"`if {guard.key}`"
        case "falsy":
            return f"`if not {guard.key}`"
        case _:
            return f"`{guard.key} {guard.operator} {guard.value}`"
