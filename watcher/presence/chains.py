"""The life of a line: where it was made, edited, deleted and brought back.

Pure. A *step* is one event at a position, as one int (``position << 2 | event``). A *chain* is the
steps of a line in order. A *provenance* is how the line table names a chain in one int: a value
>= -1 is a line made at that position and never touched since (-1: before the range), a value <= -2
is an interned chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final

from watcher.facts.change import BEFORE_RANGE

CREATED: Final = 0
EDITED: Final = 1
DELETED: Final = 2
RESTORED: Final = 3
_FIRST_CHAIN: Final = -2


class Form(IntEnum):
    """What of a line there is at some position."""

    NONE = 0
    EARLIER = 1
    """The line is there in a form that was edited later."""
    SAME = 2


def step(position: int, event: int) -> int:
    """An event at a position, as one int."""
    return position << 2 | event


def position_of(one_step: int) -> int:
    """Where a step happened."""
    return one_step >> 2


def form_at(steps: Sequence[int], position: int) -> Form:
    """What there is at ``position`` of a line with this life."""
    event = DELETED
    is_edited_later = False
    for one in steps:
        if one >> 2 <= position:
            event = one & 3
        elif one & 3 == EDITED:
            is_edited_later = True
    if event == DELETED:
        return Form.NONE
    return Form.EARLIER if is_edited_later else Form.SAME


def birth(steps: Sequence[int]) -> int:
    """Position at which a line was first made."""
    return steps[0] >> 2


def last_touch(steps: Sequence[int]) -> int:
    """Position of the latest step that gave the line its present form."""
    return max(one >> 2 for one in steps if one & 3 != DELETED)


class Chains:
    """Interned chains; the same sequence of calls gives the same numbers."""

    def __init__(self, chains: Iterable[tuple[int, ...]] = ()) -> None:
        self._chains = list(chains)
        self._numbers = {steps: _FIRST_CHAIN - i for i, steps in enumerate(self._chains)}

    def steps(self, provenance: int) -> tuple[int, ...]:
        """The chain that a provenance stands for."""
        if provenance >= BEFORE_RANGE:
            return (provenance << 2,)
        return self._chains[_FIRST_CHAIN - provenance]

    def birth(self, provenance: int) -> int:
        """Position at which the line was first made."""
        if provenance >= BEFORE_RANGE:
            return provenance
        return self._chains[_FIRST_CHAIN - provenance][0] >> 2

    def extended(self, provenance: int, *steps: int) -> int:
        """Provenance of a line to which more has happened."""
        longer = self.steps(provenance) + steps
        number = self._numbers.get(longer)
        if number is None:
            number = self._numbers[longer] = _FIRST_CHAIN - len(self._chains)
            self._chains.append(longer)
        return number

    def all(self) -> Sequence[tuple[int, ...]]:
        """Every chain in order of its number."""
        return self._chains
