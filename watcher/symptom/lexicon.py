"""The field's words: Chinese -> English search words, an outsider's words -> the project's.

Pure; the text of ``lexicon.toml`` comes in as an argument.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from watcher.errors import ConfigError

_CHINESE_OR_FULL_WIDTH = (("\u3000", "\u9fff"), ("\uff00", "\uffef"))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word lists; an empty one changes nothing."""

    chinese: dict[str, str]
    """Chinese word -> English search words."""
    synonyms: dict[str, str]
    """English word or phrase, lower case -> words to search for as well."""
    longest: int = 1
    """Characters of the longest Chinese entry."""

    def to_english(self, text: str) -> str:
        """The text with Chinese words replaced, longest match first; unknown Chinese becomes blanks
        and everything else stays.
        """
        if text.isascii():
            return text
        out: list[str] = []
        at = 0
        while at < len(text):
            length = self._match(text, at)
            if length:
                out.append(f" {self.chinese[text[at : at + length]]} ")
                at += length
            else:
                out.append(" " if _is_chinese(text[at]) else text[at])
                at += 1
        return "".join(out)

    def _match(self, text: str, at: int) -> int:
        if not _is_chinese(text[at]):
            return 0
        for length in range(min(self.longest, len(text) - at), 0, -1):
            if text[at : at + length] in self.chinese:
                return length
        return 0


def parse_lexicon(text: str) -> Lexicon:
    """The lexicon of a TOML text with tables ``zh`` and ``syn``. Raises ConfigError."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not TOML: {error}", where="lexicon.toml") from error
    chinese = _words(tables.get("zh", {}))
    return Lexicon(
        chinese=chinese,
        synonyms=_words(tables.get("syn", {})),
        longest=max(map(len, chinese), default=1),
    )


def is_chinese_text(text: str) -> bool:
    """True when a text holds Chinese characters."""
    return any(_is_chinese(char) for char in text)


def _words(table: object) -> dict[str, str]:
    if not isinstance(table, dict):
        raise ConfigError("a table of words is expected", where="lexicon.toml")
    return {str(key): str(value) for key, value in table.items()}


def _is_chinese(char: str) -> bool:
    return any(low <= char <= high for low, high in _CHINESE_OR_FULL_WIDTH)
