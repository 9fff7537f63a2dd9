"""What reading one place for a pin gave: a ref, a checkout to look into, or why there is none.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from watcher.facts.usage import Source

SHA: Final = re.compile(r"[0-9a-f]{7,40}")
"""A full or abbreviated object name."""


class Found(Struct, frozen=True, kw_only=True):
    """A ref that a file or an installed distribution names."""

    dist: str
    """Normalised distribution name, or the repository's name for a git address."""
    ref: str
    """Sha, tag or version number as written."""
    where: Source
    is_version: bool = False
    """True when ``ref`` is a version number and no name that git knows."""
    upstream: str | None = None
    """``owner/name`` of the git address, which may be a fork's."""
    git: str | None = None
    """Address that holds the commit, where one is told (a fork, a local checkout)."""
    note: str | None = None


class NotFound(Struct, frozen=True, kw_only=True):
    """A place that names the upstream but no commit."""

    dist: str
    written: str
    """What stands there."""
    where: Source
    reason: str
    mend: str
    upstream: str | None = None


class CheckoutAt(Struct, frozen=True, kw_only=True):
    """An editable or local install: the commit is the HEAD of a checkout."""

    dist: str
    path: str
    """As written; relative to the file that names it unless absolute."""
    where: Source


Reading = Found | NotFound | CheckoutAt
Outcome = Found | NotFound
"""A reading with local checkouts followed."""


class Ref(Struct, frozen=True):
    """What a text turned out to name."""

    ref: str
    is_version: bool = False
    note: str | None = None


class Refusal(Struct, frozen=True):
    """Why a text names no commit, and what to write instead."""

    reason: str
    mend: str


def reading_of(
    outcome: Ref | Refusal,
    *,
    dist: str,
    where: Source,
    written: str,
    upstream: str | None = None,
    git: str | None = None,
) -> Outcome:
    """The reading that an outcome makes at a place."""
    name = normalise(dist)
    if isinstance(outcome, Refusal):
        return NotFound(
            dist=name,
            written=written[:120],
            where=where,
            reason=outcome.reason,
            mend=outcome.mend,
            upstream=upstream,
        )
    return Found(
        dist=name,
        ref=outcome.ref,
        where=where,
        is_version=outcome.is_version,
        upstream=upstream,
        git=git,
        note=outcome.note,
    )


def normalise(dist: str) -> str:
    """A distribution name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", dist.strip()).lower()[:120]


def choose(readings: list[Reading]) -> Reading | None:
    """The one reading that a place stands for; None without any.

    A commit says more than a version number, a ref more than a refusal. Two different refs are
    refused, not chosen between.
    """
    found = [reading for reading in readings if isinstance(reading, Found)]
    exact = [reading for reading in found if not reading.is_version] or found
    different = {comparable(reading.ref) for reading in exact}
    if len(different) > 1:
        one, other = exact[0], next(r for r in exact if not _agree(r.ref, exact[0].ref))
        return NotFound(
            dist=one.dist,
            written=f"{one.ref}, {other.ref}",
            where=one.where,
            reason=f"names two: {one.ref} ({one.where}) and {other.ref} ({other.where})",
            mend="keep one, or set ref in the configuration",
            upstream=one.upstream,
        )
    if exact:
        return exact[0]
    checkouts = [reading for reading in readings if isinstance(reading, CheckoutAt)]
    return next(iter(checkouts or readings), None)


def comparable(ref: str) -> str:
    """What two spellings of one ref have in common: ``v0.8.0`` and ``0.8.0`` are one."""
    return ref[:7] if SHA.fullmatch(ref) else ref.lower().removeprefix("v")


def _agree(one: str, other: str) -> bool:
    return comparable(one) == comparable(other)
