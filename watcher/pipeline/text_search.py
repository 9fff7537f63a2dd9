"""A word -> the changes that hold it anywhere: title, description, identifiers, strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from watcher.facts.change import BEFORE_RANGE
from watcher.matching.tokens import WHOLE, tokenize
from watcher.ports.index import Index

_NEWEST: Final = 1 << 31
_MOST: Final = 100_000


def changes_with(word: str, indexes: Iterable[Index]) -> frozenset[str]:
    """Shas of the changes that hold a word, or all parts of a compound. Raises StoreError."""
    tokens = dict.fromkeys(tokenize(word))
    whole = [token for token in tokens if token.startswith(WHOLE)]
    wanted = whole or list(tokens)
    found: set[str] = set()
    for index in indexes:
        each = [_holders(index, one) for one in wanted]
        found |= set.intersection(*each) if each else set()
    return frozenset(found)


def _holders(index: Index, token: str) -> set[str]:
    found = index.search({token: 1.0}, after=BEFORE_RANGE - 1, until=_NEWEST, limit=_MOST)
    return {key for key, _ in found}
