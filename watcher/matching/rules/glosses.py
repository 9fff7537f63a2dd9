"""Words of a title that stand for a value of a setting which the user has otherwise.

Pure. "Decoupled PPO" speaks of runs with ``bypass_mode=false``; a user with ``true`` is not meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from watcher.facts import Change, EvidenceKind, Setting, Tier
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.matching.tokens import find_words
from watcher.usage.glosses import Gloss
from watcher.usage.values import canonical


def gloss_signals(
    change: Change, glosses: Mapping[str, Sequence[Gloss]], context: UsageContext
) -> Iterator[Signal]:
    """The first word of the title whose value the user does not have anywhere."""
    for word in find_words(change.message.title):
        known = glosses.get(word.lower())
        found = _other(known, context) if known else None
        if found is not None:
            gloss, setting = found
            yield Signal(
                "other_value",
                1.0,
                EvidenceKind.SCOPE,
                f"speaks of {word}, that is {gloss.leaf}={gloss.value}; "
                f"you have {setting.key}={setting.value} ({setting.source})",
                at_most=Tier.POSSIBLE if gloss.is_switch else Tier.LIKELY,
            )
            return


def _other(known: Sequence[Gloss], context: UsageContext) -> tuple[Gloss, Setting] | None:
    """A gloss whose setting the user has with another value, unless one of them is met."""
    other: tuple[Gloss, Setting] | None = None
    for gloss in known:
        settings = context.in_force.get(gloss.leaf, ())
        if any(canonical(item.value) == gloss.value for item in settings):
            return None
        if settings and other is None:
            other = gloss, settings[0]
    return other


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
