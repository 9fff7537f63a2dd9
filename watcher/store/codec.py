"""Frozen records <-> JSON values, strictly, driven by the records' own field types.

Pure. A field that holds its default is left out, so rows stay small and a field added later with
a default reads from older rows. Reading checks every value: what does not fit raises
``CodecError``, never a record with a wrong type inside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from watcher.ports import Json

T = TypeVar("T")
_Encode = Callable[[Any], Json]
_Decode = Callable[[Any], object]
_Codec = tuple[_Encode, _Decode]


class CodecError(ValueError):
    """A value that does not fit the type it is read or written as."""


def dumps(value: Json) -> str:
    """Compact JSON in ASCII, which any database holds, lone surrogates and NUL included."""
    return json.dumps(value, separators=(",", ":"))


def loads(text: str) -> Json:
    """JSON of a stored column. Raises CodecError."""
    try:
        value: Json = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise CodecError(f"not JSON: {error}") from error
    return value


class RecordForm(Generic[T]):
    """How one record type is written and read."""

    def __init__(self, record: type[T]) -> None:
        hints = get_type_hints(record)
        self._make: Callable[..., T] = record
        self._name = record.__name__
        self._writers: list[tuple[str, _Encode, object]] = []
        self._readers: dict[str, _Decode] = {}
        for field in fields(record):  # type: ignore[arg-type]  # T is a dataclass
            encode, decode = _codec(hints[field.name])
            self._writers.append((field.name, encode, _default(field)))
            self._readers[field.name] = decode

    def write(self, record: T, omit: Container[str] = ()) -> dict[str, Json]:
        """JSON object of a record, without defaults and without the fields in ``omit``."""
        written: dict[str, Json] = {}
        for name, encode, default in self._writers:
            value = getattr(record, name)
            if value != default and name not in omit:
                written[name] = encode(value)
        return written

    def values(self, written: Json) -> dict[str, object]:
        """Field values of a JSON object, to be completed and given to ``build``."""
        if type(written) is not dict:
            raise CodecError(f"{self._name} is not an object")
        readers = self._readers
        try:
            return {name: readers[name](value) for name, value in written.items()}
        except KeyError as error:
            raise CodecError(f"{self._name} has no field {error}") from error

    def build(self, values: Mapping[str, object]) -> T:
        """The record of checked field values."""
        try:
            return self._make(**values)
        except TypeError as error:
            raise CodecError(f"{self._name} is incomplete: {error}") from error

    def read(self, written: Json) -> T:
        """The record of a JSON object. Raises CodecError."""
        return self.build(self.values(written))


def _default(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return MISSING if field.default_factory is MISSING else field.default_factory()


@cache
def _codec(hint: Any) -> _Codec:  # noqa: ANN401  a type expression
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return _optional(hint)
    if origin is tuple:
        return _tuple(get_args(hint))
    if origin is dict:
        return _mapping(*get_args(hint))
    if hint in _PLAIN:
        return _PLAIN[hint]
    if issubclass(hint, StrEnum):
        return _enum(hint)
    form: RecordForm[Any] = RecordForm(hint)
    return form.write, form.read


def _exactly(kind: type) -> _Codec:
    def check(value: object) -> Any:  # noqa: ANN401  whatever the plain type is
        if type(value) is not kind:
            raise CodecError(f"{value!r:.40} is not {kind.__name__}")
        return value

    return check, check


def _float(value: object) -> float:
    if type(value) is not float and type(value) is not int:
        raise CodecError(f"{value!r:.40} is not a number")
    return float(value)


def _write_time(value: datetime) -> Json:
    if value.tzinfo is None:
        raise CodecError(f"naive time {value.isoformat()}")
    return value.astimezone(UTC).isoformat()


def _read_time(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(value)  # type: ignore[arg-type]  # told by TypeError
    except (TypeError, ValueError) as error:
        raise CodecError(f"{value!r:.40} is not a time") from error
    if time.tzinfo is None:
        raise CodecError(f"naive time {value}")
    return time.astimezone(UTC)


_PLAIN: dict[object, _Codec] = {
    str: _exactly(str),
    int: _exactly(int),
    bool: _exactly(bool),
    float: (_float, _float),
    datetime: (_write_time, _read_time),
}


def _enum(kind: type[StrEnum]) -> _Codec:
    members: dict[object, StrEnum] = {member.value: member for member in kind}

    def read(value: object) -> StrEnum:
        try:
            return members[value]
        except (KeyError, TypeError) as error:
            raise CodecError(f"{value!r:.40} is no {kind.__name__}") from error

    return lambda value: kind(value).value, read


def _optional(hint: Any) -> _Codec:  # noqa: ANN401  a type expression
    inner = [part for part in get_args(hint) if part is not NoneType]
    if len(inner) != 1:
        raise CodecError(f"no form for {hint}")
    encode, decode = _codec(inner[0])
    return (
        lambda value: None if value is None else encode(value),
        lambda value: None if value is None else decode(value),
    )


def _tuple(parts: Sequence[Any]) -> _Codec:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return _sequence(parts[0])
    codecs = [_codec(part) for part in parts]

    def write(value: Sequence[Any]) -> Json:
        return [encode(item) for (encode, _), item in zip(codecs, value, strict=True)]

    def read(value: object) -> object:
        if type(value) is not list or len(value) != len(codecs):
            raise CodecError(f"{value!r:.40} is not a list of {len(codecs)}")
        return tuple(decode(item) for (_, decode), item in zip(codecs, value, strict=True))

    return write, read


def _sequence(part: Any) -> _Codec:  # noqa: ANN401  a type expression
    encode, decode = _codec(part)

    def read(value: object) -> object:
        if type(value) is not list:
            raise CodecError(f"{value!r:.40} is not a list")
        return tuple(map(decode, value))

    return lambda value: list(map(encode, value)), read


def _mapping(key: Any, part: Any) -> _Codec:  # noqa: ANN401  type expressions
    encode, decode = _codec(part)
    if key is not str:
        raise CodecError(f"no form for keys of {key}")

    def read(value: object) -> object:
        if type(value) is not dict:
            raise CodecError(f"{value!r:.40} is not an object")
        return {name: decode(item) for name, item in value.items()}

    return lambda value: {name: encode(item) for name, item in value.items()}, read
