"""Records <-> JSON text, checked against the records' own field types. Pure.

A field that holds its default is left out, so rows stay small, and a field added later with a
default reads from older rows. What does not fit raises ``CodecError``: no record is ever made with
a wrong type inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Final, TypeVar

import msgspec
from msgspec.structs import FieldInfo, fields, replace

from watcher.ports.json import Json

T = TypeVar("T", bound=msgspec.Struct)

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder()
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


class CodecError(ValueError):
    """A value that does not fit the type it is read or written as."""


def dumps(value: object) -> str:
    """Compact JSON of a value. Raises CodecError.

    Text with a lone surrogate loses it to U+FFFD, and NUL with it.
    """
    try:
        return _ENCODER.encode(value).decode()
    except UnicodeEncodeError:
        return dumps(_with_storable_text(msgspec.to_builtins(value)))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise CodecError(f"cannot be stored: {error}") from error


def record_json(record: msgspec.Struct, omit: Container[str] = ()) -> str:
    """JSON object of a record without its defaults and without the fields in ``omit``."""
    return dumps(record_object(record, omit))


def record_object(record: msgspec.Struct, omit: Container[str] = ()) -> dict[str, object]:
    """Field -> value of a record without its defaults and without the fields in ``omit``."""
    return {
        name: value
        for name, default in _defaults(type(record))
        if name not in omit and (value := getattr(record, name)) != default
    }


def loads(text: str) -> Json:
    """Any JSON. Raises CodecError."""
    try:
        value: Json = _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise CodecError(f"not JSON: {error}") from error
    return value


def reader(record: type[T]) -> Callable[[str], T]:
    """What makes records of a type from their JSON; it raises CodecError."""
    decoder = msgspec.json.Decoder(record)

    def read(text: str) -> T:
        try:
            return decoder.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise CodecError(f"no {record.__name__}: {error}") from error

    return read


def in_utc(record: T, names: Iterable[str]) -> T:
    """The record with these times in UTC. Raises CodecError for a naive one."""
    moved: dict[str, datetime] = {}
    for name in names:
        value = getattr(record, name)
        if value is not None and value.tzinfo is not UTC:
            moved[name] = utc(value)
    return replace(record, **moved) if moved else record


def utc(value: datetime) -> datetime:
    """A time in UTC. Raises CodecError for a naive one."""
    if value.tzinfo is None:
        raise CodecError(f"naive time {value.isoformat()}")
    return value.astimezone(UTC)


@cache
def _defaults(record: type[msgspec.Struct]) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, _default(field)) for field in fields(record))


def _default(field: FieldInfo) -> object:
    if field.default_factory is not msgspec.NODEFAULT:
        made: object = field.default_factory()
        return made
    return field.default


def storable(text: str) -> str:
    """The text with U+FFFD for NUL and lone surrogates, which a text column cannot hold."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def _with_storable_text(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {_with_storable_text(key): _with_storable_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_storable_text(item) for item in value]
    return value
