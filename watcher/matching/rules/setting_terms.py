"""A setting to the search tokens by which a change would speak of it.

Pure. The last part of the key and a value that is a word say most; the part of the key before and
the pieces of compound names say less; numbers, switches and file paths say nothing.
"""

from __future__ import annotations

import re
from typing import Final

from watcher.facts.usage import Setting
from watcher.matching.tokens import WHOLE, find_words, word_tokens
from watcher.usage.values import as_number, canonical, canonical_key, is_path

LEAF: Final = 1.0
PARENT: Final = 0.4
VALUE: Final = 1.0
PIECE: Final = 0.5
"""Share of a piece of a compound name (``lora`` of ``lora_rank``)."""
PATH_VALUE: Final = 0.4
_GENERIC_WORDS: Final = "enable enabled name mode path type n size backend config kwargs"
_GENERIC: Final = frozenset(_GENERIC_WORDS.split())
"""Last parts of keys that mean something only with the part before."""
_SWITCHES: Final = frozenset({"true", "false", "null"})
_SPLIT: Final = re.compile(r"[/\s,\[\]{}'\":=]+")


def setting_terms(setting: Setting) -> dict[str, float]:
    """Token -> weight."""
    parts = canonical_key(setting.key).split(".")
    is_generic = parts[-1] in _GENERIC and len(parts) > 1
    terms: dict[str, float] = {}
    _add(terms, parts[-1], LEAF * (0.3 if is_generic else 1.0))
    if len(parts) > 1:
        _add(terms, parts[-2], PARENT * (2.0 if is_generic else 1.0))
    for word, weight in _value_words(setting.value):
        _add(terms, word, weight)
    return terms


def _value_words(value: str) -> list[tuple[str, float]]:
    text = canonical(value)
    if text in _SWITCHES or as_number(text) is not None or len(text) > 300:
        return []
    if is_path(text):
        last = text.rstrip("/").rpartition("/")[2]
        return [(word, PATH_VALUE) for word in find_words(last.rpartition(".")[0] or last)]
    return [
        (word, VALUE)
        for piece in _SPLIT.split(text)
        for word in find_words(piece)
        if as_number(word) is None and word.lower() not in _SWITCHES
    ]


def _add(terms: dict[str, float], word: str, weight: float) -> None:
    tokens = word_tokens(word)
    for token in tokens:
        is_piece = len(tokens) > 1 and not token.startswith(WHOLE)
        share = weight * (PIECE if is_piece else 1.0)
        terms[token] = max(terms.get(token, 0.0), share)
