"""A TOML table -> typed values, each wrong one named by its key in a ``ConfigError``. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from watcher.errors import ConfigError

_Choice = TypeVar("_Choice", bound=StrEnum)


class Table(Struct, frozen=True):
    """One table and where it stands (``profiles.verl.facets.lora``)."""

    values: Mapping[str, object]
    where: str

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raises ConfigError for the first key that is none of ``known``."""
        names = frozenset(known)
        for key in self.values:
            if key not in names:
                raise ConfigError(
                    f"unknown key {key!r:.80}",
                    where=self.where,
                    mend=f"known keys: {', '.join(sorted(names))}",
                )

    def optional_text(self, key: str) -> str | None:
        """A string, or None when the key is not there."""
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(key, "a string")

    def text(self, key: str, default: str | None = None) -> str:
        """A string; required without a default."""
        value = self.optional_text(key)
        found = default if value is None else value
        if found is None:
            raise ConfigError("missing", where=f"{self.where}.{key}")
        return found

    def flag(self, key: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if isinstance(value, bool):
            return value
        raise self._wrong(key, "true or false")

    def whole_number(self, key: str) -> int | None:
        """A whole number, or None when the key is not there."""
        value = self.values.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self._wrong(key, "a whole number")

    def list(self, key: str) -> tuple[str, ...]:
        """A list of strings; empty when the key is not there."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list of strings")
        texts = tuple(part for part in value if isinstance(part, str))
        if len(texts) != len(value):
            raise self._wrong(key, "a list of strings")
        return texts

    def texts(self, key: str) -> dict[str, str]:
        """A table of strings; empty when the key is not there."""
        part = self.table(key)
        return {name: part.text(name) for name in part.values}

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A list of [string, string]; empty when the key is not there."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list of [string, string]")
        return tuple(self._pair(key, pair) for pair in value)

    def _pair(self, key: str, pair: object) -> tuple[str, str]:
        match pair:
            case [str() as first, str() as second]:
                return first, second
        raise self._wrong(key, "a list of [string, string]")

    def choice(self, key: str, choices: type[_Choice], default: _Choice) -> _Choice:
        """A member of an enumeration by its value."""
        value = self.text(key, default.value)
        for member in choices:
            if member.value == value:
                return member
        raise self._wrong(key, f"one of {', '.join(member.value for member in choices)}")

    def table(self, key: str) -> Table:
        """A table; empty when the key is not there."""
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            raise self._wrong(key, "a table")
        return Table(value, f"{self.where}.{key}")

    def tables(self, key: str) -> tuple[tuple[str, Table], ...]:
        """(name, table) of a table of tables, in the order of the file."""
        part = self.table(key)
        return tuple((name, part.table(name)) for name in part.values)

    def list_of_tables(self, key: str) -> tuple[Table, ...]:
        """A list of tables; empty when the key is not there."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
            raise self._wrong(key, "a list of tables")
        return tuple(Table(part, f"{self.where}.{key}") for part in value)

    def _wrong(self, key: str, wanted: str) -> ConfigError:
        return ConfigError(f"not {wanted}", where=f"{self.where}.{key}")
