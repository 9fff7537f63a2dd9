"""Which changes to read from the store, and which parts of them. Records, no I/O."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Part(StrEnum):
    """A part of a change that costs time to read; the message and its numbers always come along."""

    FILES = "files"
    """Touched files with roles and functions."""
    CODE = "code"
    """Identifiers, strings, configuration keys and guards."""
    ORIGINS = "origins"
    """The record that the presence verdict rests on."""
    RAW_BODY = "raw-body"
    """The message body as it stands."""


ALL_PARTS: Final = frozenset(Part)


LIGHT_PARTS: Final = frozenset({Part.FILES})
"""What a list needs: everything but identifiers, origins and the raw body."""


class ChangeFilter(Struct, frozen=True, kw_only=True):
    """Which changes to read. None means no restriction."""

    after: int | None = None
    """Positions greater than this."""
    until: int | None = None
    """Positions up to this."""
    shas: tuple[str, ...] | None = None
    numbers: tuple[int, ...] | None = None
    paths: tuple[str, ...] | None = None
    off_line: bool | None = False
    """False: only the tracked line; True: only release branches; None: both.

    ``after`` and ``until`` bound the tracked line alone.
    """
    parts: frozenset[Part] = ALL_PARTS
    """What to read; the fields of other parts are left empty."""


EVERY_CHANGE: Final = ChangeFilter()
"""The whole tracked line, all parts."""
