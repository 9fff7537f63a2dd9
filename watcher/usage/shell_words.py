"""Shell text to words: quotes, comments, continuations, here-documents and operators told apart.

Pure; no I/O. This is a reader of launch scripts, not a shell: nothing is expanded or run here.
Every pattern is linear, so a hostile script costs time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct


class Quote(StrEnum):
    """How a piece of a word stood in the script."""

    BARE = "bare"
    DOUBLE = "double"
    SINGLE = "single"


class Piece(Struct, frozen=True):
    """A run of characters of one word under one kind of quote, quotes removed."""

    text: str
    quote: Quote


class Word(Struct, frozen=True):
    """One shell word before expansion."""

    pieces: tuple[Piece, ...]
    line: int

    @property
    def plain(self) -> str:
        """The text of all pieces, unexpanded."""
        return "".join(piece.text for piece in self.pieces)


class Operator(Struct, frozen=True):
    """What parts commands: ``;``, ``&&``, ``|``, ``(``, ``)``, a newline, a redirection."""

    text: str
    line: int
    is_glued: bool = False
    """True when no blank stands before it (``NAME=(`` opens an array)."""


Token = Word | Operator

_BLANK: Final = re.compile(r"(?:[^\S\n]|\\\r?\n)+")
_HEREDOC: Final = re.compile(r"<<(-?)[ \t]*(['\"]?)(\w+)\2")
_OPERATOR: Final = re.compile(r"\n|&&|\|\||;;|[0-9]?[<>]{1,3}(?:&[0-9-])?|&>>?|[;&|()]")
_SINGLE: Final = re.compile(r"\$?'([^']*)'")
_DOUBLE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE: Final = re.compile(r"[^\s'\"\\;&|()<>$`]+")
_VARIABLE: Final = re.compile(r"\$(?:\w+|[@*#?!-])")
_JOIN: Final = re.compile(r"\\\r?\n")
_BACKTICK: Final = re.compile(r"`[^`]*`")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_UNCLOSED_BUDGET: Final = 1_000_000
"""Characters that may be scanned in all for brackets that never close."""


def split_words(text: str) -> Iterator[Token]:
    """Words and operators of a script in order; here-document bodies and comments are left out."""
    return _Lexer(text).tokens()


class _Lexer:
    """A cursor over the text that counts lines as it goes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._heredocs: list[str] = []
        self._budget = _UNCLOSED_BUDGET

    def tokens(self) -> Iterator[Token]:
        glued = False
        while self._at < len(self._text):
            if blank := self._take(_BLANK):
                glued = not blank
            elif self._text[self._at] == "#" and not glued:
                self._skip_comment()
            elif operator := self._operator(is_glued=glued):
                glued = False
                yield operator
            else:
                yield self._word()
                glued = True

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._advance(found.end())
        return found.group()

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _skip_comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    def _operator(self, *, is_glued: bool) -> Operator | None:
        line = self._line
        if heredoc := _HEREDOC.match(self._text, self._at):
            self._advance(heredoc.end())
            self._heredocs.append(heredoc.group(3))
            return Operator("<<", line)
        text = self._take(_OPERATOR)
        if text == "\n":
            self._skip_heredocs()
        return Operator(text, line, is_glued) if text else None

    def _skip_heredocs(self) -> None:
        for mark in self._heredocs:
            end = re.compile(rf"^[ \t]*{re.escape(mark)}[ \t\r]*$", re.MULTILINE)
            found = end.search(self._text, self._at)
            self._advance(found.end() if found else len(self._text))
        self._heredocs.clear()

    def _word(self) -> Word:
        line = self._line
        pieces: list[Piece] = []
        while self._at < len(self._text):
            piece = self._piece()
            if piece is None:
                break
            pieces.append(piece)
        return Word(tuple(pieces), line)

    def _piece(self) -> Piece | None:
        start = self._text[self._at]
        if start == "$" and self._text[self._at + 1 : self._at + 2] in {"(", "{"}:
            return Piece(self._nested(), Quote.BARE)
        if start in "'\"$\\`":
            return self._quoted()
        bare = self._take(_BARE)
        return Piece(bare, Quote.BARE) if bare else None

    def _quoted(self) -> Piece | None:
        for pattern, quote in ((_SINGLE, Quote.SINGLE), (_DOUBLE, Quote.DOUBLE)):
            if found := pattern.match(self._text, self._at):
                self._advance(found.end())
                return Piece(found.group(1), quote)
        if self._take(_JOIN):
            return Piece("", Quote.BARE)
        if found := _ESCAPE.match(self._text, self._at):
            self._advance(found.end())
            return Piece(found.group(1), Quote.SINGLE)
        if text := self._take(_VARIABLE) or self._take(_BACKTICK):
            return Piece(text, Quote.BARE)
        # A lone quote, tick or dollar: an unfinished string stands for itself.
        char = self._text[self._at]
        self._advance(self._at + 1)
        return Piece(char, Quote.BARE)

    def _nested(self) -> str:
        """``$(…)`` or ``${…}`` up to its closing bracket, or to the end of the line without one."""
        opening = self._text[self._at + 1]
        closing = ")" if opening == "(" else "}"
        depth = 0
        for index in range(self._at + 1, min(len(self._text), self._at + self._budget)):
            char = self._text[index]
            depth += (char == opening) - (char == closing)
            if depth == 0:
                end = index + 1
                break
        else:
            newline = self._text.find("\n", self._at)
            end = newline if newline > 0 else len(self._text)
            self._budget = max(0, self._budget - (len(self._text) - self._at))
        text = self._text[self._at : end]
        self._advance(end)
        return text
