"""Catalogue files (TOML text) -> ``Advisory`` records, every key checked.

Pure. Raises ConfigError naming file, line, entry and mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, TypeVar

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from watcher.advisories.record import Advisory, Condition, Confidence, Pattern, Severity, Words
from watcher.errors import ConfigError
from watcher.history.plain_text import bounded_line
from watcher.settings.toml_text import load_toml

_TEXT_KEYS: Final = ("slug", "title", "remedy", "source")
_KEYS: Final = frozenset(
    {
        *_TEXT_KEYS,
        "confidence",
        "severity",
        "patterns",
        "words",
        "also",
        "unless",
        "packages",
        "when",
    }
    | {"hazard", "last", "true_for", "note", "url"}
)
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,60}\Z")
_CONDITION: Final = re.compile(
    r"\s*([\w.\-]{1,120})\s+(==|!=|<=|>=|<|>|set|unset)(?:\s+(\{[\w.\-]{1,120}\}|\S.{0,120}))?\s*\Z"
)
_SHORTEST_PATTERN: Final = 4

Choice = TypeVar("Choice", bound=StrEnum)


def parse_catalogue(text: str, *, origin: str) -> list[Advisory]:
    """The advisories of one file.

    Args:
        text: TOML with ``[[advisory]]`` tables.
        origin: Name of the file, for errors.
    """
    try:
        document = load_toml(text)
    except ValueError as error:
        told = " ".join(str(error).split())[:200]
        raise ConfigError(f"not TOML: {told}", where=origin, mend="correct that line") from error
    entries = document.get("advisory", [])
    unknown = sorted(set(document) - {"advisory"})
    if unknown or not isinstance(entries, list):
        what = _unknown(unknown[0]) if unknown else "`advisory` is not a list of tables"
        raise ConfigError(what, where=origin, mend="write each entry as [[advisory]]")
    lines = _entry_lines(text)
    return [
        _Entry(entry, f"{origin}:{lines[at] if at < len(lines) else 1}").read()
        for at, entry in enumerate(entries)
    ]


def merge(catalogues: Iterable[list[Advisory]]) -> tuple[Advisory, ...]:
    """All entries; a later file's entry replaces an earlier one with the same slug."""
    by_slug: dict[str, Advisory] = {}
    for catalogue in catalogues:
        by_slug.update({advisory.slug: advisory for advisory in catalogue})
    return tuple(by_slug.values())


def _unknown(key: str) -> str:
    return f"unknown key `{ascii(key)[1:-1]:.80}`"


def _entry_lines(text: str) -> list[int]:
    return [
        at
        for at, line in enumerate(text.splitlines(), 1)
        if line.replace(" ", "").startswith("[[advisory]]")
    ]


class _Entry:
    """One table while it is checked."""

    def __init__(self, table: object, where: str) -> None:
        if not isinstance(table, dict):
            raise ConfigError("an entry is not a table", where=where, mend="write [[advisory]]")
        self._table: Mapping[str, object] = table
        self._where = where

    def read(self) -> Advisory:
        unknown = sorted(set(self._table) - _KEYS)
        if unknown:
            raise self._error(_unknown(unknown[0]), f"use one of {', '.join(sorted(_KEYS))}")
        slug, title, remedy, source = (self._required(key) for key in _TEXT_KEYS)
        if not _SLUG.match(slug):
            raise self._error(f"slug `{slug}`", "use small letters, digits and hyphens")
        advisory = Advisory(
            slug=slug,
            title=title,
            remedy=remedy,
            source=source,
            confidence=self._choice("confidence", Confidence),
            severity=self._choice("severity", Severity),
            patterns=self._patterns("patterns"),
            words=self._words(),
            also=self._patterns("also"),
            unless=self._patterns("unless"),
            packages=self._packages(),
            when=self._conditions(),
            is_last=self._flag("last"),
            is_hazard=self._flag("hazard"),
            true_for=self._optional("true_for", "any version"),
            note=self._optional("note", ""),
            url=self._optional("url", "") or None,
        )
        if not (advisory.patterns or advisory.words or advisory.is_hazard):
            what = "neither `patterns` nor `words` nor `hazard = true`"
            raise self._error(what, "say how it is recognised")
        if advisory.is_hazard and not (advisory.packages or advisory.when):
            raise self._error("a hazard without `packages` or `when`", "say for whom it holds")
        return advisory

    def _error(self, what: str, mend: str) -> ConfigError:
        name = self._table.get("slug")
        entry = f"advisory `{bounded_line(name, 60)}`: " if isinstance(name, str) else "advisory: "
        return ConfigError(entry + bounded_line(what, 200), where=self._where, mend=mend)

    def _required(self, key: str) -> str:
        value = self._table.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self._error(f"`{key}` is missing or empty", f'write {key} = "…"')
        return value.strip()

    def _optional(self, key: str, default: str) -> str:
        return self._required(key) if key in self._table else default

    def _flag(self, key: str) -> bool:
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            raise self._error(f"`{key}` is not true or false", f"write {key} = true")
        return value

    def _choice(self, key: str, kind: type[Choice]) -> Choice:
        value = self._required(key)
        try:
            return kind(value)
        except ValueError as error:
            names = ", ".join(kind)
            raise self._error(f"{key} `{value}`", f"use one of {names}") from error

    def _texts(self, key: str) -> list[str]:
        value = self._table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._error(f"`{key}` is not a list of texts", f'write {key} = ["…"]')
        return [str(one) for one in value]

    def _patterns(self, key: str) -> tuple[Pattern, ...]:
        patterns = tuple(parse_pattern(text) for text in self._texts(key))
        for pattern, text in zip(patterns, self._texts(key), strict=True):
            if text.isascii() and pattern.weight < _SHORTEST_PATTERN:
                raise self._error(
                    f"pattern `{text}` is too short", "write at least four characters"
                )
        return patterns

    def _words(self) -> tuple[Words, ...]:
        found = tuple(parse_words(text) for text in self._texts("words"))
        for words, text in zip(found, self._texts("words"), strict=True):
            if not all(words.groups):
                mend = "write groups of words, `port|door + taken|in use`"
                raise self._error(f"words `{text}`", mend)
        return found

    def _packages(self) -> tuple[tuple[str, str], ...]:
        value = self._table.get("packages", {})
        if not isinstance(value, dict):
            raise self._error("`packages` is not a table", 'write packages = { torch = "<2.4" }')
        for name, specifier in value.items():
            try:
                SpecifierSet(str(specifier))
            except InvalidSpecifier as error:
                raise self._error(
                    f"`{name}` has no version specifier: {specifier}",
                    "write it as in PEP 440, `>=2.3,<2.4`",
                ) from error
        return tuple((str(name), str(specifier)) for name, specifier in value.items())

    def _conditions(self) -> tuple[Condition, ...]:
        conditions = []
        for text in self._texts("when"):
            match = _CONDITION.match(text)
            if match is None or ((match[3] is None) != (match[2] in {"set", "unset"})):
                raise self._error(
                    f"condition `{text}`", "write `key == value`, `key > {other.key}` or `key set`"
                )
            conditions.append(Condition(match[1], match[2], match[3] or ""))
        return tuple(conditions)


def parse_pattern(text: str) -> Pattern:
    """A pattern from its text: pieces between ``*``, case-folded, white space as one blank."""
    pieces = (" ".join(piece.casefold().split()) for piece in text.split("*"))
    return Pattern(tuple(piece for piece in pieces if piece))


def parse_words(text: str) -> Words:
    """Words from their text: groups between ``+``, alternatives between ``|``."""
    groups = (
        tuple(word for raw in group.split("|") if (word := " ".join(raw.casefold().split())))
        for group in text.split(" + ")
    )
    return Words(tuple(groups))
