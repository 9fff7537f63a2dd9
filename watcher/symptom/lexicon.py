"""The field's words: Chinese -> English search words, an outsider's words -> the project's.

Pure; the text of ``lexicon.toml`` comes in as an argument.
"""

from __future__ import annotations

import re

from msgspec import Struct

from watcher.errors import ConfigError

_ENTRY = re.compile(r'"([^"\\]+)" = "([^"\\]+)"')
_CHINESE_OR_FULL_WIDTH = (("\u3000", "\u9fff"), ("\uff00", "\uffef"))


class Lexicon(Struct, frozen=True):
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
    """The lexicon of a text with tables ``[zh]`` and ``[syn]``. Raises ConfigError naming the line.

    Of TOML only ``"key" = "value"`` lines are read: two thousand of them at every start would cost
    a TOML parser ten times as long.
    """
    tables: dict[str, dict[str, str]] = {"zh": {}, "syn": {}}
    table: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if entry := _ENTRY.fullmatch(line):
            if table is not None:
                table[entry[1]] = entry[2]
                continue
        elif not line or line.startswith("#"):
            continue
        elif line[1:-1] in tables and line == f"[{line[1:-1]}]":
            table = tables[line[1:-1]]
            continue
        raise ConfigError(
            "neither a table nor a word", where=f"lexicon.toml:{number}", mend='"key" = "value"'
        )
    return Lexicon(
        chinese=tables["zh"],
        synonyms=tables["syn"],
        longest=max(map(len, tables["zh"]), default=1),
    )


def _is_chinese(char: str) -> bool:
    return any(low <= char <= high for low, high in _CHINESE_OR_FULL_WIDTH)
