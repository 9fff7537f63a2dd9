"""Two lines -> how alike they are, cheaply enough to ask it of every pair of a hunk.

Pure. The share of characters in common order, as difflib's ratio, found from both ends inwards;
pairs that share little at their ends are told apart without looking further.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

_CERTAIN: Final = 0.85
LENGTHS: Final = 0.73
"""Shorter over longer below which the ratio cannot reach 0.85."""
_ENDS: Final = 0.15
"""Share of the longer line that both ends must have in common."""


def similarity(one: str, other: str) -> float:
    """0 for lines that differ much, else twice the characters in common over all characters."""
    if one == other:
        return 1.0
    longer = max(len(one), len(other))
    shorter = min(len(one), len(other))
    if shorter < longer * LENGTHS:
        return 0.0
    start = _common_start(one, other, shorter)
    end = _common_end(one, other, shorter - start)
    if start + end < longer * _ENDS:
        return 0.0
    total = len(one) + len(other)
    shared = start + end
    if 2 * shared >= _CERTAIN * total:
        return 2 * shared / total
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    if _in_common(left, right) < _CERTAIN * total / 2 - shared:
        return 0.0
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    shared += sum(block.size for block in matcher.get_matching_blocks())
    return 2 * shared / total


def _in_common(one: str, other: str) -> int:
    """Characters in common, in any order."""
    return sum(min(one.count(letter), other.count(letter)) for letter in set(one) & set(other))


def _common_start(one: str, other: str, most: int) -> int:
    for index in range(most):
        if one[index] != other[index]:
            return index
    return most


def _common_end(one: str, other: str, most: int) -> int:
    for index in range(1, most + 1):
        if one[-index] != other[-index]:
            return index - 1
    return most
