"""Words of a title that stand for a value of a setting which the user has otherwise.

Pure. "Decoupled PPO" speaks of runs with ``bypass_mode=false``; a user with ``true`` is not meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from watcher.facts import Change, EvidenceKind, Setting
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
        known = glosses.get(word.lower(), ())
        if not known:
            continue
        other: tuple[Gloss, Setting] | None = None
        for gloss in known:
            settings = context.in_force.get(gloss.leaf, ())
            if any(canonical(item.value) == gloss.value for item in settings):
                break
            if settings and other is None:
                other = gloss, settings[0]
        else:
            if other is not None:
                gloss, setting = other
                yield Signal(
                    "other_value",
                    1.0,
                    EvidenceKind.SCOPE,
                    f"speaks of {word}, that is {gloss.leaf}={gloss.value}; "
                    f"you have {setting.key}={setting.value} ({setting.source})",
                )
                return


def glosses_by_word(context: UsageContext) -> dict[str, list[Gloss]]:
    """Word -> glosses, words that every other change uses left out."""
    by_word: dict[str, list[Gloss]] = {}
    for gloss in context.glosses:
        held = context.corpus.frequencies.get(gloss.word, 0)
        if held <= max(3, 0.2 * context.corpus.count):
            by_word.setdefault(gloss.word, []).append(gloss)
    return by_word
