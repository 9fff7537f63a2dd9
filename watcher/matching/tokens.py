"""Text -> search tokens: light stems, and compound identifiers whole and in parts.

Pure. ``get_per_tensor_param`` gives ``=get_per_tensor_param``, ``get``, ``tensor``, ``param``.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

WHOLE: Final = "="
"""First character of a token that is a compound identifier as a whole."""

MAX_WORD: Final = 120
"""Longer words are machine output and are left out."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+){0,4}[A-Za-z]*")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_STOP_WORDS: Final = """
the a an of to in is are for and or on with by this that it be as from at not if when was we you
i into no do does has have had will can its use using used then than but so they them their
there which while where what who how my me our your he she were been being did done just only
also too very more most some any all each every both same other another such these those after
before since until during about over under again out up down off here now get got one two would
should could may might must via per vs etc eg ie self none true false return def class import py
str int
"""
_STOP: Final = frozenset(_STOP_WORDS.split())
_SUFFIXES: Final = (
    ("ations", "ate"), ("ation", "ate"), ("ments", ""), ("ment", ""), ("ings", ""), ("ing", ""),
    ("ies", "y"), ("ied", "y"), ("ers", "er"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"),
    ("ed", ""), ("ly", ""), ("s", ""),
)  # fmt: skip
_REFERENCE = re.compile(
    r"https?://\S+|(?:\b[\w.-]{1,60}/[\w.-]{1,80})?#\d+|\bissue[- ]?\d+", re.IGNORECASE
)


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """A light English stem of a lower-case word; short and mixed words stay as they are."""
    if len(word) < 4 or not word.isalpha():
        return word
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix):
            stripped = _strip(word, suffix, replacement)
            if stripped is not None:
                word = stripped
                break
    if word[-1] == word[-2] and word[-1] not in "aeiousl" and len(word) > 3:
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _strip(word: str, suffix: str, replacement: str) -> str | None:
    """The word without a suffix, or None when too little would be left for a word."""
    rest = word[: len(word) - len(suffix)] + replacement
    if suffix == "s":
        return rest if len(rest) >= 3 and word[-2] not in "aious" else None
    is_short_stem = len(rest) == 3 and (rest[-1] == "x" or rest[-1] == rest[-2])
    return rest if len(rest) >= 4 or is_short_stem else None


@lru_cache(maxsize=32_768)
def word_tokens(word: str) -> tuple[str, ...]:
    """The tokens of one word: its stem, or the whole and the stemmed parts of a compound."""
    lowered = word.lower()
    if lowered in _STOP or len(word) > MAX_WORD:
        return ()
    if lowered[0].isdigit():
        return (lowered,) if len(lowered) < 12 else ()
    parts = [piece.lower() for run in word.split("_") for piece in _PIECE.findall(run)]
    if len(parts) < 2:
        return (stem(lowered.strip("_") or lowered),)
    tokens = [WHOLE + lowered.strip("_")]
    tokens += [stem(part) for part in parts if part not in _STOP and len(part) > 1]
    if "_" not in word and any(part.isdigit() for part in parts):
        tokens.append(lowered)
    return tuple(tokens)


def find_words(text: str) -> list[str]:
    """Words, identifiers and numbers of a text, in order."""
    return _WORD.findall(text)


def tokenize(text: str) -> list[str]:
    """All tokens of a text, in order, repeated as often as they stand there."""
    return [token for word in find_words(text) for token in word_tokens(word)]


def count_tokens(text: str) -> dict[str, int]:
    """How often each token stands in a text."""
    return dict(Counter(tokenize(text)))


def without_references(text: str) -> str:
    """The text without issue numbers and addresses, which tell the answer or nothing."""
    return _REFERENCE.sub(" ", text)
