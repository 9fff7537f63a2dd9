"""Changed lines of shipped files -> the names and string literals on them.

Pure. Comments are left out; words inside a string belong to the string. Linear in the line, and
lines are of bounded length.
"""

from __future__ import annotations

import re
from keyword import kwlist
from typing import Final

STRING_LENGTH: Final = 200
_TOKEN = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    r"|[A-Za-z_]\w{2,79}|#.*|//.*"
)
_KEYWORDS: Final = frozenset(kwlist) | {
    "self",
    "cls",
    "int",
    "str",
    "bool",
    "float",
    "void",
    "const",
    "auto",
    "static",
    "inline",
    "template",
    "typename",
    "include",
    "using",
    "namespace",
    "struct",
    "else",
    "endif",
    "ifdef",
    "define",
}
_WORD = re.compile(r"[^\W\d_]{2}")


class Tokens:
    """Names and strings gathered from lines until the caps are reached."""

    def __init__(self, *, names: int, strings: int) -> None:
        self.names: set[str] = set()
        self.strings: dict[str, None] = {}
        self._most_names = names
        self._most_strings = strings

    def gather(self, text: str) -> None:
        """Add what lines of code say."""
        names = self.names
        for token in dict.fromkeys(_TOKEN.findall(text)):
            first = token[0]
            if first in "\"'":
                self._add_string(token[1:-1])
            elif first not in "#/" and len(names) < self._most_names:
                names.add(token)

    def _add_string(self, literal: str) -> None:
        text = literal.strip()
        if len(self.strings) >= self._most_strings or len(text) < 3:
            return
        if text[:2].isalpha() or _WORD.search(text) is not None:
            self.strings[text[:STRING_LENGTH]] = None

    def sorted_names(self) -> tuple[str, ...]:
        """The names without key words, sorted."""
        return tuple(sorted(self.names - _KEYWORDS))
