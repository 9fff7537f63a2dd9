"""``key=value`` conditions that a description states in so many words, and reports' settings.

Pure. "Only with ``bypass_mode=False``" meets the user who has that value in force and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.facts.usage import Setting
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.values import as_number, canonical, canonical_key, is_suffix

_STATED: Final = re.compile(
    r"(?<![\w.=/-])[`'\"]?\+?([A-Za-z_][\w.]{2,120}?)[`'\"]?\s?(?:==?|:)\s?[`'\"]?"
    r"([A-Za-z_][\w.-]{0,60}|\d[\d.eE-]{0,20})[`'\"]?(?![\w(=])"
)
_READ: Final = 6_000
_MOST: Final = 200
_FEW: Final = 8
"""More stated settings than this are a quoted command, not conditions."""
_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def condition_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """Stated settings that the user has, and stated settings that the user has otherwise."""
    text = f"{change.message.title}\n{change.message.body[:_READ]}"
    stated = _stated(text)
    yield from _met(stated, context, "its description")
    yield from _failed(_stated(_FENCED.sub(" ", text)), context)
    for number in change.message.closes:
        issue = context.issues.get(number)
        if issue is not None:
            pairs = [(key, value) for key, _, value in (c.partition("=") for c in issue.config)]
            yield from _met([*_stated(issue.title), *pairs[:_MOST]], context, f"issue #{number}")
            yield from _failed(_stated(issue.title), context)


def _stated(text: str) -> list[tuple[str, str]]:
    return [(found.group(1), found.group(2)) for found in _STATED.finditer(text)][:_MOST]


def _failed(stated: Sequence[tuple[str, str]], context: UsageContext) -> Iterator[Signal]:
    """A switch or a word stated in prose that the user has otherwise in every place."""
    if len(stated) > _FEW:
        return
    for key, value in stated:
        parts = canonical_key(key).split(".")
        if "_" not in parts[-1] or as_number(value) is not None:
            continue
        settings = [
            item
            for item in context.in_force.get(parts[-1], ())
            if len(parts) == 1 or is_suffix(key, item.key)
        ]
        if not any(canonical(item.value) == canonical(value) for item in settings):
            own = [item for item in settings if not item.is_default]
            told = own or (settings if canonical(value) in {"true", "false"} else [])
            if told:
                yield _failure(key, value, told[0])
                return


def _failure(key: str, value: str, item: Setting) -> Signal:
    detail = f"speaks of {key}={value}; you have {item.key}={item.value} ({item.source})"
    return Signal("condition_failed", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.POSSIBLE)


def _met(stated: Sequence[tuple[str, str]], context: UsageContext, where: str) -> Iterator[Signal]:
    met: tuple[float, str] | None = None
    for key, value in stated:
        for item, weight in _in_force(key, context):
            if canonical(item.value) == canonical(value) and (met is None or weight > met[0]):
                met = weight, f"{where} states {key}={value}, which you have ({item.source})"
    if met is not None:
        yield Signal("condition_met", met[0], EvidenceKind.CONFIG, met[1])


def _in_force(key: str, context: UsageContext) -> Iterator[tuple[Setting, float]]:
    parts = canonical_key(key).split(".")
    if len(parts[-1]) < 3:
        return
    for item in context.by_leaf.get(parts[-1], ()):
        if len(parts) == 1 or is_suffix(key, item.setting.key):
            yield item.setting, item.importance
