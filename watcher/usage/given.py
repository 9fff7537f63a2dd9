"""What a parser of the user's files hands on: settings, programs, variables, upstream code.

Pure data; the readers of YAML, shell and Python all yield one ``Reading``; ``read.py`` joins them.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from watcher.facts.usage import CodeUse, Source


class GivenSetting(Struct, frozen=True):
    """One setting as the user wrote it."""

    key: str
    value: str
    source: Source
    is_removed: bool = False
    """True for ``~key``: the key is taken out of the upstream's configuration."""
    is_added: bool = False
    """True for ``+key`` and ``++key``: the key need not exist in the upstream's configuration."""


class Reading(Struct, frozen=True, kw_only=True):
    """What one file of the user says."""

    settings: tuple[GivenSetting, ...] = ()
    code: tuple[CodeUse, ...] = ()
    entry_points: tuple[tuple[str, Source], ...] = ()
    """(dotted module, where)."""
    environment: tuple[tuple[str, str, Source], ...] = ()
    not_understood: tuple[tuple[Source, str], ...] = ()


def join_readings(readings: Iterable[Reading]) -> Reading:
    """All of them in order; a later setting of a key comes after an earlier one."""
    every = tuple(readings)
    return Reading(
        settings=tuple(item for one in every for item in one.settings),
        code=tuple(item for one in every for item in one.code),
        entry_points=tuple(item for one in every for item in one.entry_points),
        environment=tuple(item for one in every for item in one.environment),
        not_understood=tuple(item for one in every for item in one.not_understood),
    )


def parse_override(text: str, source: Source) -> GivenSetting | None:
    """``key=value``, ``+key=value``, ``++key=value``, ``~key`` or ``~key=value``; None for others.

    Hydra's grammar for keys: dotted names, an option for a group with ``@`` and ``/``.
    """
    is_removed = text.startswith("~")
    key, equals, value = text.lstrip("+~").partition("=")
    key = key.strip()
    if not key or not (equals or is_removed) or not _is_key(key):
        return None
    return GivenSetting(key, unquote(value.strip()), source, is_removed, text.startswith("+"))


def _is_key(key: str) -> bool:
    return (key[0].isalpha() or key[0] == "_") and all(
        char.isalnum() or char in "._-/@:" for char in key
    )


def unquote(value: str) -> str:
    """The value without one pair of quotes around it."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
