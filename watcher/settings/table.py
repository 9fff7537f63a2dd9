"""One TOML table read key by key: typed values out, or a ConfigError that names file, key, mend.

Pure. A scalar key may be overridden by the environment: ``WATCHER_WEB_PORT`` for ``web.port``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct, field

from watcher.errors import ConfigError

_Choice = TypeVar("_Choice", bound=StrEnum)

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DURATION = re.compile(r"(?:\d{1,6}[smhdw])+")
_DURATION_PART = re.compile(r"(\d+)([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class Table(Struct):
    """A table being read. Keys asked for are known; ``finish`` refuses the others."""

    values: Mapping[str, object]
    file: str
    path: str = ""
    """Dotted path of the table, empty for the top."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Overrides of scalar keys; empty for tables that cannot be overridden."""
    _asked: set[str] = field(default_factory=set)

    def error(self, key: str, what: str, mend: str) -> ConfigError:
        """The error for a key of this table."""
        variable = self._variable(key)
        name = variable if variable in self.environment else self._dotted(key)
        return ConfigError(f"{name} {what}", where=self.file, mend=mend)

    def text(self, key: str, default: str = "") -> str:
        """A line of text without control characters."""
        value = self._scalar(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(key, f"is {_kind(value)}, not text", 'write it in quotes: "…"')
        if _CONTROL.search(value):
            raise self.error(key, "holds a control character", "write one plain line")
        return value.strip()

    def optional(self, key: str) -> str | None:
        """A line of text, or None when absent or empty."""
        return self.text(key) or None

    def required(self, key: str, example: str) -> str:
        """A line of text that must be there."""
        value = self.text(key)
        if not value:
            raise self.error(key, "is missing", f'add {key} = "{example}"')
        return value

    def integer(self, key: str, *, low: int, high: int, default: int | None = None) -> int | None:
        """A whole number within bounds."""
        value = self._scalar(key)
        if value is None:
            return default
        if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,12}\s*", value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            mend = f"write a whole number from {low} to {high}"
            raise self.error(key, f"is {_show(value)}", mend)
        return value

    def choice(self, key: str, options: type[_Choice]) -> _Choice | None:
        """One of a closed set, or None when absent."""
        value = self.text(key).lower()
        if not value:
            return None
        known = [option.value for option in options]
        if value not in known:
            raise self.error(key, f"is {_show(value)}", f"write one of: {', '.join(known)}")
        return options(value)

    def duration(self, key: str, default: timedelta) -> timedelta:
        """A span such as ``6h``, ``3d`` or ``1d12h``."""
        value = self.text(key).lower().replace(" ", "")
        if not value:
            return default
        parts = _DURATION_PART.findall(value) if _DURATION.fullmatch(value) else []
        seconds = sum(int(count) * _SECONDS[unit] for count, unit in parts)
        if not 0 < seconds <= 3650 * _SECONDS["d"]:
            raise self.error(key, f"is {_show(value)}", 'write a span such as "6h" or "3d"')
        return timedelta(seconds=seconds)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of lines of text; a single text counts as a list of one."""
        self._asked.add(key)
        value = self.values.get(key, [])
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.error(key, "is not a list of texts", f'write {key} = ["…", "…"]')
        if any(_CONTROL.search(item) or not item.strip() for item in items):
            raise self.error(key, "holds an empty text or a control character", "remove it")
        return tuple(item.strip() for item in items)

    def raw(self, key: str) -> object:
        """A value of any type, or None."""
        self._asked.add(key)
        return self.values.get(key)

    def table(self, key: str) -> Table:
        """A sub-table; absent counts as empty."""
        value = self.raw(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.error(key, f"is {_kind(value)}, not a table", f"write [{self._dotted(key)}]")
        return Table(value, self.file, self._dotted(key), self.environment)

    def tables(self, key: str) -> list[Table]:
        """A list of tables; absent counts as empty."""
        value = self.raw(key)
        items = [] if value is None else value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            what = f"is {_kind(value)}, not a list of tables"
            raise self.error(key, what, f"write [[{self._dotted(key)}]] before each entry")
        dotted = self._dotted(key)
        return [Table(item, self.file, f"{dotted}[{n}]") for n, item in enumerate(items, 1)]

    def finish(self) -> None:
        """Raise ConfigError for the first key that nobody asked for."""
        for key in self.values:
            if key not in self._asked:
                raise self._unknown(key)

    def _unknown(self, key: str) -> ConfigError:
        guess = did_you_mean(key, self._asked)
        mend = guess or f"known keys: {', '.join(sorted(self._asked))}"
        return ConfigError(f"unknown key {self._dotted(key)}", where=self.file, mend=mend)

    def _scalar(self, key: str) -> object:
        self._asked.add(key)
        from_environment = self.environment.get(self._variable(key), "")
        return from_environment or self.values.get(key)

    def _variable(self, key: str) -> str:
        return f"WATCHER_{self.path}_{key}".upper()

    def _dotted(self, key: str) -> str:
        shown = key if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", key) else _show(key)
        return f"{self.path}.{shown}" if self.path else shown


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean "x"?`` for a near miss, else an empty text."""
    near = difflib.get_close_matches(word[:60], sorted(known), n=1)
    return f'did you mean "{near[0]}"?' if near else ""


def _show(value: object) -> str:
    """A value for an error line: quoted, short, one line."""
    shown = ascii(value) if isinstance(value, str) and _CONTROL.search(value) else repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"


def _kind(value: object) -> str:
    names = {str: "text", bool: "true/false", int: "a number", float: "a number"}
    return names.get(type(value), "a list" if isinstance(value, list) else "a table or a date")
