"""Words of a title that stand for a value of a setting which the user has otherwise.

Pure. "Decoupled PPO" speaks of runs with ``bypass_mode=false``; a user with ``true`` is not meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.facts.usage import Setting
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.matching.tokens import find_words
from watcher.usage.facets import written
from watcher.usage.glosses import Gloss
from watcher.usage.values import canonical


def gloss_signals(
    change: Change, glosses: Mapping[str, Sequence[Gloss]], context: UsageContext
) -> Iterator[Signal]:
    """The first word of the title that stands for a value which the user set, or set otherwise."""
    for word in find_words(change.message.title):
        known = glosses.get(word.lower())
        signal = _compare(word, known, context) if known else None
        if signal is not None:
            yield signal
            return


def _compare(word: str, known: Sequence[Gloss], context: UsageContext) -> Signal | None:
    other: tuple[Gloss, Setting] | None = None
    for gloss in known:
        settings = context.in_force.get(gloss.leaf, ())
        met = [item for item in settings if canonical(item.value) == gloss.value]
        if met:
            return _met(word, gloss, met, context)
        if settings and other is None:
            other = gloss, settings[0]
    if other is None:
        return None
    gloss, setting = other
    detail = f"speaks of {word}, that is {gloss.leaf}={gloss.value}; you have {_shown(setting)}"
    at_most = Tier.POSSIBLE if gloss.is_switch else Tier.LIKELY
    return Signal("other_value", 1.0, EvidenceKind.SCOPE, detail, at_most=at_most)


def _met(word: str, gloss: Gloss, met: Sequence[Setting], context: UsageContext) -> Signal | None:
    """Words for themselves are found by the settings' own words already."""
    own = [item for item in met if not item.is_default]
    if not own or not gloss.is_switch:
        return None
    detail = f"speaks of {word}, that is your {_shown(own[0])}"
    strength = context.importance_of.get(written(own[0]), 0.1)
    return Signal("condition_met", strength, EvidenceKind.CONFIG, detail)


def _shown(setting: Setting) -> str:
    return f"{setting.key}={setting.value} ({setting.source})"


def glosses_by_word(context: UsageContext) -> dict[str, list[Gloss]]:
    """Word -> glosses; words of keys, of facets and of every tenth change are no choice."""
    pieces = {piece for leaf in context.in_force for piece in (leaf, *leaf.split("_"))}
    by_word: dict[str, list[Gloss]] = {}
    for gloss in context.glosses:
        held = context.corpus.frequencies.get(gloss.word, 0)
        is_common = held > max(3, 0.1 * context.corpus.count)
        if gloss.is_switch or not (is_common or gloss.word in pieces or _is_facet(gloss, context)):
            by_word.setdefault(gloss.word, []).append(gloss)
    return by_word


def _is_facet(gloss: Gloss, context: UsageContext) -> bool:
    return any(rule.words.search(gloss.word) for rule in context.rules.values())
