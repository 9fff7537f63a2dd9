"""A commit over the line table -> the record from which any pin's verdict follows, and back.

Pure. A record holds no pin. It rests on the most telling part of the diff: source before
configuration before examples, tests only when nothing else was touched; imports, comments and
reformatting are left out as long as something else remains.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct, field

from watcher.facts.diff import OriginRecord

Steps: TypeAlias = tuple[int, ...]
Weights: TypeAlias = tuple[tuple[Steps, float], ...]

CODE: Final = "code"
TESTS: Final = "tests"
NEW_FILES: Final = "new-files"
OTHER: Final = "other"
QUANTILES: Final = 20
_MOST_LINEAGES: Final = 60


class RestingLine(Struct, frozen=True):
    """A line of the faulty code, for showing."""

    path: str
    text: str
    steps: Steps


class Record(Struct, frozen=True, kw_only=True):
    """What is kept of a change: weights by a line's life, a hunk counting as at most eight."""

    scope: str
    removed: Weights = ()
    """Lines that the change removes or rewrites."""
    beside: Weights = ()
    """The two neighbours of each pure addition."""
    brought_back: Weights = ()
    """Added lines that had been deleted earlier."""
    added_weight: float = 0.0
    body_births: tuple[int, ...] = ()
    """Quantiles of the births of the lines of the enclosing functions, oldest first."""
    folders: tuple[int, ...] = ()
    """For new files only: births of their folders."""
    lines: tuple[RestingLine, ...] = ()
    position: int = 0
    """Of the change itself."""
    names: tuple[tuple[int, str], ...] = ()
    """(birth, name) of what its new lines use and its old ones do not, newest first."""
    names_count: int = 0


class Tally(Struct):
    """Weights while a commit is read, by provenance."""

    removed: dict[int, float] = field(default_factory=dict)
    beside: dict[int, float] = field(default_factory=dict)
    brought_back: dict[Steps, float] = field(default_factory=dict)
    added_weight: float = 0.0
    body: dict[int, float] = field(default_factory=dict)
    """Lines of enclosing functions by birth, each function counting as one."""


def quantiles(births: Mapping[int, float]) -> tuple[int, ...]:
    """Twenty quantiles of weighted positions, oldest first; empty for no weight."""
    total = sum(births.values())
    if not total:
        return ()
    found: list[int] = []
    sum_so_far = 0.0
    for position, weight in sorted(births.items()):
        sum_so_far += weight / total
        while len(found) < QUANTILES and sum_so_far >= (len(found) + 0.5) / QUANTILES - 1e-9:
            found.append(position)
    return tuple(found)


def heaviest(weights: Iterable[tuple[Steps, float]]) -> Weights:
    """The weights that count most, in a fixed order, rounded."""
    ordered = sorted(weights, key=lambda pair: (-pair[1], pair[0]))
    return tuple((steps, round(weight, 2)) for steps, weight in ordered[:_MOST_LINEAGES])


def encode(record: Record) -> OriginRecord:
    """The record as a fact; equal records give equal text."""
    fields = {
        "r": _packed(record.removed),
        "a": _packed(record.beside),
        "d": _packed(record.brought_back),
        "n": round(record.added_weight, 2),
        "b": list(record.body_births),
        "f": list(record.folders),
        "p": record.position,
        "u": [list(pair) for pair in record.names],
        "c": record.names_count,
        "l": [[line.path, line.text, *line.steps] for line in record.lines],
    }
    kept = {key: value for key, value in fields.items() if value}
    text = json.dumps(kept, separators=(",", ":"), ensure_ascii=False)
    return OriginRecord(scope=record.scope, payload=text)


def decode(fact: OriginRecord) -> Record:
    """The record that a fact holds; an unreadable payload gives one that supports no verdict."""
    try:
        held = json.loads(fact.payload)
        return Record(
            scope=fact.scope,
            removed=_unpacked(held.get("r", ())),
            beside=_unpacked(held.get("a", ())),
            brought_back=_unpacked(held.get("d", ())),
            added_weight=float(held.get("n", 0.0)),
            body_births=tuple(map(int, held.get("b", ()))),
            folders=tuple(map(int, held.get("f", ()))),
            position=int(held.get("p", 0)),
            names=tuple((int(birth), str(name)) for birth, name in held.get("u", ())),
            names_count=int(held.get("c", 0)),
            lines=tuple(
                RestingLine(str(path), str(text), tuple(map(int, steps)))
                for path, text, *steps in held.get("l", ())
            ),
        )
    except (ValueError, TypeError, AttributeError):
        return Record(scope=OTHER)


def _packed(weights: Weights) -> list[list[float | int]]:
    return [[weight, *steps] for steps, weight in weights]


def _unpacked(packed: Sequence[Sequence[float | int]]) -> Weights:
    return tuple((tuple(int(step) for step in steps), float(weight)) for weight, *steps in packed)
