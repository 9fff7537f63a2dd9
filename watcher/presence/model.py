"""A record and a position -> how much of the faulty code is there, and what that supports.

Pure arithmetic. The weights are fitted on labelled pairs; they speak about the code that a change
touches, never about the bug itself.
"""

from __future__ import annotations

from enum import StrEnum
from math import exp
from typing import Final

from msgspec import Struct

from watcher.facts.presence import Presence
from watcher.presence.chains import Form, form_at, last_touch
from watcher.presence.record import Record, Weights

_MOST_NAMES: Final = 20


class Thresholds(Struct, frozen=True, kw_only=True):
    """From where on shares say "absent"; `tests/tuning/presence_rules.py` shows what each costs."""

    gone_below: float = 0.3
    """Share of the code below which it counts as not there."""
    mended_from: float = 0.8
    """Share of the added lines that the position still had."""
    undone_from: float = 0.5
    """The same when one later change both deleted what comes back and made what goes."""
    adapts_from: float = 0.3
    """Share of the names that only the new lines use and that came after the position."""
    lately: int = 120
    """Commits before a fix within which the name that it adapts to will have come."""


SHIPPED: Final = Thresholds()


class Ground(StrEnum):
    """What a decision rests on."""

    LINES = "lines"
    """How many of the changed lines, or of their neighbours, are there."""
    MENDED = "mended"
    """The change brings back what the position still had."""
    NAMES = "names"
    """The change follows an interface that came after the position."""


class Features(Struct, frozen=True, kw_only=True):
    """Shares, 0 to 1, of what a record rests on, at one position."""

    there: float
    """Of the removed lines (of the neighbours, for a pure addition) what is there in any form."""
    same: float
    """What is there in the very form that the change found."""
    has_fix: float
    """Of the added lines what the position had and lost later."""
    body: float
    """Of the enclosing functions' lines what is there."""
    is_addition: bool
    """True when the change removes nothing: only its neighbours speak."""
    newer_names: float = 0.0
    """Of the names that only the new lines use what came after the position."""
    lately_newer_names: float = 0.0
    """The same, of names that came not long before the change itself."""
    undoes: bool = False
    """True when a change after the position both deleted what is brought back and made what is
    removed.
    """


def features_at(record: Record, position: int, thresholds: Thresholds = SHIPPED) -> Features:
    """The features of a change at a position."""
    is_addition = not record.removed
    resting = record.removed or record.beside
    there = _share(resting, position, Form.EARLIER)
    brought = sum(w for steps, w in record.brought_back if form_at(steps, position))
    births = record.body_births
    return Features(
        there=there,
        same=there if is_addition else _share(resting, position, Form.SAME),
        has_fix=min(1.0, brought / record.added_weight) if record.added_weight else 0.0,
        body=sum(birth <= position for birth in births) / len(births) if births else there,
        is_addition=is_addition,
        newer_names=_newer_names(record, position),
        lately_newer_names=_newer_names(record, max(position, record.position - thresholds.lately)),
        undoes=_undoes(record, position),
    )


def _newer_names(record: Record, position: int) -> float:
    """Share of names born after a position; 0 where the change uses too many to tell."""
    if not 0 < record.names_count <= _MOST_NAMES:
        return 0.0
    return sum(birth > position for birth, _ in record.names) / record.names_count


def _undoes(record: Record, position: int) -> bool:
    deleted = {steps[-1] >> 2 for steps, _ in record.brought_back}
    made = {last_touch(steps) for steps, _ in record.removed}
    return any(one > position for one in deleted & made)


def _share(weights: Weights, position: int, least: Form) -> float:
    total = sum(weight for _, weight in weights)
    if not total:
        return 0.5
    return sum(w for steps, w in weights if form_at(steps, position) >= least) / total


_CONSTANT: Final = -4.46
_THERE: Final = 2.39
_SAME: Final = 2.55
_HAS_FIX: Final = -2.11
_BODY: Final = 1.81
_ADDITION: Final = -1.24
_PRESENT_FROM: Final = 0.65
_SOME_NEWER: Final = 0.1


def probability(features: Features) -> float:
    """How sure it is that the code is there, 0 to 1: an order, never shown."""
    z = (
        _CONSTANT
        + _THERE * features.there
        + _SAME * features.same
        + _HAS_FIX * features.has_fix * (1 - features.there)
        + _BODY * features.body
        + _ADDITION * features.is_addition
    )
    return 1 / (1 + exp(-z))


def is_mended_form(features: Features, thresholds: Thresholds = SHIPPED) -> bool:
    """True when the change brings back lines that the position still had."""
    if not features.is_addition and features.same >= 0.5:
        return False
    if features.undoes:
        return features.has_fix >= thresholds.undone_from
    return features.has_fix >= thresholds.mended_from


def decide(features: Features, thresholds: Thresholds = SHIPPED) -> tuple[Presence, Ground]:
    """Present, partly or absent, and what says so."""
    if is_mended_form(features, thresholds):
        return Presence.ABSENT, Ground.MENDED
    if features.there < thresholds.gone_below:
        return Presence.ABSENT, Ground.LINES
    if features.lately_newer_names >= thresholds.adapts_from:
        return Presence.ABSENT, Ground.NAMES
    if probability(features) < _PRESENT_FROM:
        return Presence.PARTLY, Ground.LINES
    if features.newer_names >= _SOME_NEWER:
        return Presence.PARTLY, Ground.NAMES
    return Presence.PRESENT, Ground.LINES
