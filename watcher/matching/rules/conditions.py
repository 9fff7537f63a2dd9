"""``key=value`` conditions that a description states in so many words, and reports' settings.

Pure. "Only with ``bypass_mode=False``" meets the user who has that value in force and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from watcher.facts import Change, EvidenceKind, Setting
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.values import canonical, canonical_key, is_suffix

_STATED: Final = re.compile(
    r"(?<![\w.=/-])[`'\"]?\+?([A-Za-z_][\w.]{2,120}?)[`'\"]?\s?(?:==?|:)\s?[`'\"]?"
    r"([A-Za-z_][\w.-]{0,60}|\d[\d.eE-]{0,20})[`'\"]?(?![\w(=])"
)
_READ: Final = 6_000
_MOST: Final = 200


def condition_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """Stated settings that the user has, and stated settings that the user has otherwise."""
    own_words = f"{change.message.title}\n{change.message.body[:_READ]}"
    stated = [found.groups() for found in _STATED.finditer(own_words)][:_MOST]
    yield from _compare(stated, context, "its description")
    for number in change.message.closes:
        issue = context.issues.get(number)
        if issue is not None:
            title = [found.groups() for found in _STATED.finditer(issue.title)]
            pairs = [tuple(text.partition("=")[::2]) for text in issue.config[:_MOST]]
            yield from _compare([*title, *pairs], context, f"issue #{number}")


def _compare(
    stated: Sequence[tuple[str, ...]], context: UsageContext, where: str
) -> Iterator[Signal]:
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
