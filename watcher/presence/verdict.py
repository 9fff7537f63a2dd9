"""A change, its links and a pin's position -> the verdict on presence, in words that it supports.

Pure. Contained comes before withdrawn, withdrawn before the rest; what an author names decides over
what the lines say; the lines never say "you have the bug", only where the code is.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.links import Links
from watcher.facts.presence import Presence, Verdict
from watcher.presence.chains import Form, form_at, last_touch
from watcher.presence.contained import Containment
from watcher.presence.landed import Landed, LandedLine
from watcher.presence.model import (
    Features,
    Ground,
    decide,
    features_at,
    probability,
)
from watcher.presence.record import CODE, NEW_FILES, TESTS, Record, decode

_LEADING_SHARE: Final = 0.4
"""Share of the lines that one change must have brought to be named as their origin."""


class PinView(Struct, frozen=True):
    """What a verdict needs of a pin."""

    position: int
    """Of the pin's fork point on the tracked line."""
    until: int | None = None
    """Position of the head that is looked at; later events do not exist. None: the newest."""
    code_only: bool = False
    """True leaves out the origins that authors name and what reverts take back."""


def judge(
    change: Change,
    links: Links | None,
    pin: PinView,
    line: LandedLine,
    contained: Containment | None = None,
) -> Verdict:
    """Presence of a change at a pin. ``contained`` is what ``find_contained`` says of it."""
    withdrawn_by = _standing_withdrawal(links, pin, line)
    if change.position is not None and change.position <= pin.position:
        return _contained(change.sha, "your pin's history holds it", withdrawn_by)
    if contained is not None:
        return _contained(contained.holder, _carried_sentence(contained), withdrawn_by)
    if withdrawn_by is not None:
        return _withdrawn(withdrawn_by, links, line)
    if change.position is None:
        return Verdict(
            presence=Presence.UNKNOWN,
            detail="landed on a release branch only: its lines are not followed there",
        )
    if change.diff.origins is None:
        return Verdict(presence=Presence.UNKNOWN, detail="outside the mirrored range")
    named = None if pin.code_only else _by_author(change, links, pin, line)
    return named or judge_by_lines(decode(change.diff.origins), pin.position, line)


# --- contained, withdrawn ---


def _contained(holder: str, detail: str, withdrawn_by: str | None) -> Verdict:
    if withdrawn_by is not None:
        detail += "; it was withdrawn upstream since"
    return Verdict(
        presence=Presence.CONTAINED, detail=detail, holder=holder, withdrawn_by=withdrawn_by
    )


def _carried_sentence(contained: Containment) -> str:
    if contained.is_patch_file:
        return f"your pin already has it, as {contained.holder} ({contained.how})"
    return f"your pin already has it, as {contained.holder[:9]} ({contained.how})"


def _standing_withdrawal(links: Links | None, pin: PinView, line: LandedLine) -> str | None:
    """The revert that stands, unless it is younger than the head that is looked at."""
    if links is None or links.withdrawn_by is None:
        return None
    revert = line.by_sha(links.withdrawn_by)
    is_future = (
        pin.until is not None
        and revert is not None
        and revert.position is not None
        and revert.position > pin.until
    )
    return None if is_future else links.withdrawn_by


def _withdrawn(withdrawn_by: str, links: Links | None, line: LandedLine) -> Verdict:
    detail = f"reverted by {_name(withdrawn_by, line)}"
    if links is not None and links.relanded_as is not None:
        detail += f", perhaps relanded as {_name(links.relanded_as, line)}"
    return Verdict(presence=Presence.WITHDRAWN, detail=detail, withdrawn_by=withdrawn_by)


def _name(sha: str, line: LandedLine) -> str:
    landed = line.by_sha(sha)
    return landed.name if landed is not None else sha[:9]


# --- what the author says ---


def _by_author(
    change: Change, links: Links | None, pin: PinView, line: LandedLine
) -> Verdict | None:
    """The verdict that the named origins give, when all lie on one side of the pin."""
    shas = () if links is None else links.reverts or links.named_origins
    origins = [origin for sha in shas if (origin := line.by_sha(sha)) is not None]
    placed = sorted(
        (origin.position, origin.sha)
        for origin in origins
        if origin.position is not None
        and (change.position is None or origin.position < change.position)
    )
    if not placed or links is None:
        return None
    (oldest, first), (newest, last) = placed[0], placed[-1]
    if oldest > pin.position:
        presence, sha, where = Presence.ABSENT, first, "after your pin"
    elif newest <= pin.position:
        presence, sha, where = Presence.PRESENT, last, "in your pin"
    else:
        return None
    name = _name(sha, line)
    said = f"it takes back {name}" if links.reverts else f"its author says {name} brought the bug"
    return Verdict(
        presence=presence,
        detail=f"{said}; {name} is {where}",
        introduced_by=sha,
        introduced_is_named=True,
    )


# --- what the lines say ---


def judge_by_lines(record: Record, position: int, line: LandedLine) -> Verdict:
    """The verdict from the origins of the lines alone."""
    if record.scope == NEW_FILES:
        return _new_files(record, position)
    if record.scope not in {CODE, TESTS} or not (record.removed or record.beside):
        reason = "test files only" if record.scope == TESTS else "no shipped code touched"
        return Verdict(presence=Presence.UNKNOWN, detail=reason)
    features = features_at(record, position)
    presence, ground = decide(features)
    if ground is Ground.NAMES:
        birth, name = _newer_name(record, position)
        origin = line.at(birth)
        detail = _names_sentence(presence, name)
    else:
        origin = _probable_origin(record, line)
        detail = _lines_sentence(presence, ground, features)
    if record.scope == TESTS:
        detail += " (tests only)"
    if origin is not None:
        detail += f"; probably brought by {origin.name}, {origin.committed_at:%Y-%m-%d}"
    return Verdict(
        presence=presence,
        detail=detail,
        introduced_by=origin.sha if origin is not None else None,
        probability=probability(features),
        lines=_shown_lines(record, position, presence),
    )


def _new_files(record: Record, position: int) -> Verdict:
    if record.folders and all(birth > position for birth in record.folders):
        return Verdict(
            presence=Presence.ABSENT, detail="adds files to a folder that your pin does not have"
        )
    return Verdict(presence=Presence.UNKNOWN, detail="adds new files only")


def _lines_sentence(presence: Presence, ground: Ground, features: Features) -> str:
    if presence is Presence.ABSENT:
        if ground is Ground.MENDED:
            return "brings back code that was still there at your pin"
        if features.is_addition:
            return "the lines beside what it adds were not at your pin"
        return "the code that it changes was not at your pin in this form"
    if presence is Presence.PRESENT:
        if features.is_addition:
            return "the lines beside what it adds are at your pin"
        return "the code that it changes is at your pin"
    if features.is_addition:
        return "part of the code around what it adds is at your pin, edited since"
    return "part of that code is at your pin, edited since"


def _newer_name(record: Record, position: int) -> tuple[int, str]:
    """Birth and name of what the new lines use and the pin lacks, from the change that brought
    most of it.
    """
    newer = [(birth, name) for birth, name in record.names if birth > position]
    births = [birth for birth, _ in newer]
    return max(newer, key=lambda pair: (births.count(pair[0]), pair))


def _names_sentence(presence: Presence, name: str) -> str:
    shown = name.rstrip("=")
    if presence is Presence.ABSENT:
        return f"its new lines use {shown}, which came after your pin"
    return f"that code is at your pin, but its new lines use {shown}, which came after it"


def _shown_lines(record: Record, position: int, presence: Presence) -> tuple[str, ...]:
    """The lines that bear the verdict out first."""
    is_there = presence is not Presence.ABSENT
    ordered = sorted(
        record.lines, key=lambda one: (form_at(one.steps, position) > Form.NONE) is not is_there
    )
    return tuple(f"{one.path}: {one.text}" for one in ordered)


def _probable_origin(record: Record, line: LandedLine) -> Landed | None:
    """The change that last touched most of what the record rests on, if it is in the range."""
    shares: dict[int, float] = {}
    for steps, weight in record.removed or record.beside:
        position = last_touch(steps)
        shares[position] = shares.get(position, 0.0) + weight
    total = sum(shares.values())
    if not total:
        return None
    best = max(shares, key=lambda position: (shares[position], position))
    return line.at(best) if shares[best] >= _LEADING_SHARE * total else None
