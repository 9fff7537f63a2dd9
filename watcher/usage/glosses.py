"""Words that stand for one value of a setting, from an upstream's own configuration and examples.

Pure. ``# false = Decoupled, true = Bypass`` above ``bypass_mode:`` makes "decoupled" a word for
``bypass_mode=false``; a value that examples choose (``adv_estimator=remax``) is a word for itself.
A title that uses such a word speaks of runs with that value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from watcher.usage.examples import Examples
from watcher.usage.values import as_number, canonical, canonical_key

MOST_GLOSSES: Final = 2_000
_LINE_LIMIT: Final = 400
_KEY: Final = re.compile(r"[ \t]*([A-Za-z_]\w{2,60}):(?:[ \t]|$)")
_COMMENT: Final = re.compile(r"[ \t]*#[ \t]*(.*)")
_SWITCH: Final = re.compile(
    r"\b(true|false)\b[\"'`]?[ \t]*(?:=|:|->)[ \t]*([A-Za-z]{5,30})\b", re.IGNORECASE
)
_WORD: Final = re.compile(r"[a-z][a-z0-9_+]{3,30}")
_PLAIN_WORDS: Final = """
true false null none auto default error warning left right mean sum token tokens model train test
wandb console tensorboard bfloat16 float16 float32 async sync disable file local
"""
_PLAIN: Final = frozenset(_PLAIN_WORDS.split())
"""Values that are words of all code."""


class Gloss(Struct, frozen=True, order=True):
    """One word and the value that it speaks of."""

    word: str
    """Lower case."""
    leaf: str
    """Last part of the setting's key."""
    value: str
    """In one spelling."""

    @property
    def is_switch(self) -> bool:
        """True when the upstream itself explains a switch by the word."""
        return self.value in {"true", "false"}


def read_glosses(configs: Iterable[str], examples: Examples) -> tuple[Gloss, ...]:
    """Glosses of configuration texts and example scripts, sorted."""
    found = {gloss for text in configs for gloss in _of_comments(text)}
    found |= set(_of_examples(examples.values))
    return tuple(sorted(found)[:MOST_GLOSSES])


def _of_comments(text: str) -> Iterator[Gloss]:
    block: list[str] = []
    for line in text.splitlines():
        comment = _COMMENT.match(line[:_LINE_LIMIT])
        if comment:
            block.append(comment.group(1))
            continue
        key = _KEY.match(line[:_LINE_LIMIT])
        if key:
            yield from _of_block(" ".join(block)[: 10 * _LINE_LIMIT], key.group(1))
        block = []


def _of_block(comment: str, leaf: str) -> Iterator[Gloss]:
    for found in _SWITCH.finditer(comment):
        word = found.group(2).lower()
        if word not in _PLAIN:
            yield Gloss(word, leaf, found.group(1).lower())


def _of_examples(values: Mapping[str, Mapping[str, int]]) -> Iterator[Gloss]:
    for key, counts in values.items():
        words = [value for value in counts if _is_word(value)]
        # A choice has few values; names of experiments have as many as there are scripts.
        if 2 <= len(words) <= 25 and sum(counts.values()) >= 2 * len(counts):
            leaf = canonical_key(key).rpartition(".")[2]
            for value in words:
                yield Gloss(value.lower(), leaf, canonical(value))


def _is_word(value: str) -> bool:
    lower = value.lower()
    return bool(_WORD.fullmatch(lower)) and lower not in _PLAIN and as_number(value) is None
