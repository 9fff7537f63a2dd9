"""Long work in pieces that any database takes in one statement. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement

T = TypeVar("T")

BATCH: Final = 500
"""Rows written, and values asked for, in one statement."""


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """The items in lists of at most ``BATCH``, read no further ahead than one list."""
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def conditions(
    column: ColumnElement[Any], values: Sequence[object] | None
) -> list[list[ColumnElement[bool]]]:
    """Conditions that together ask for all values, few at a time.

    None asks for everything: one empty condition. No values ask for nothing.
    """
    if values is None:
        return [[]]
    return [[column.in_(batch)] for batch in batches(dict.fromkeys(values))]
