"""Where functions and classes begin in a Python file, kept up to date from its diffs alone.

Pure. A line's enclosing function is the nearest definition above it that is indented less; its
qualified name is the chain of such definitions (``Class.method``). No file text is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from sys import intern
from typing import Final

from msgspec import Struct, field

from watcher.history.diff import HunkDiff

PYTHON_SUFFIXES: Final = (".py", ".pyi", ".pyx")
DEFINITION = re.compile(r"(\s{0,200})(?:async\s{1,10}|cp)?(?:def|class)\s{1,10}([^\W\d]\w{0,199})")
_CLOSING: Final = (")", "]", "}")


class FileDefinitions(Struct):
    """Definitions of one file in order: line (from 0), indentation, name."""

    lines: list[int] = field(default_factory=list)
    indents: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def extend(self, start: int, texts: Iterable[str]) -> None:
        """Note the definitions that consecutive lines open."""
        for line, text in enumerate(texts, start):
            found = DEFINITION.match(text) if "def " in text or "class " in text else None
            if found is not None:
                self.lines.append(line)
                self.indents.append(len(found[1]))
                self.names.append(intern(found[2]))

    def apply(self, hunks: Iterable[HunkDiff]) -> None:
        """Bring the table from before a change to after it."""
        old = FileDefinitions(self.lines, self.indents, self.names)
        self.lines, self.indents, self.names = [], [], []
        at = 0
        shift = 0
        for hunk in hunks:
            end = bisect_left(old.lines, hunk.old_start, at)
            self._keep(old, at, end, shift)
            at = bisect_left(old.lines, hunk.old_end, end)
            self.extend(hunk.new_start, hunk.added)
            shift += hunk.new_count - hunk.old_count
        self._keep(old, at, len(old.lines), shift)

    def _keep(self, old: FileDefinitions, start: int, end: int, shift: int) -> None:
        if start < end:
            kept = old.lines[start:end]
            self.lines.extend([line + shift for line in kept] if shift else kept)
            self.indents.extend(old.indents[start:end])
            self.names.extend(old.names[start:end])

    def enclosing(self, line: int, indent: int) -> int | None:
        """Index of the innermost definition that holds a line of some indentation, or None."""
        index = bisect_right(self.lines, line) - 1
        if index >= 0 and self.lines[index] == line:
            return index
        if indent == 0:
            return None
        while index >= 0 and self.indents[index] >= indent:
            index -= 1
        return index if index >= 0 else None

    def extent(self, index: int) -> tuple[int, int | None]:
        """First line of a definition and the line where the next one at its level or above begins
        (None: to the end of the file).
        """
        indent = self.indents[index]
        for later in range(index + 1, len(self.lines)):
            if self.indents[later] <= indent:
                return self.lines[index], self.lines[later]
        return self.lines[index], None

    def qualified(self, index: int) -> str:
        """Name with those of the definitions around it."""
        parts = [self.names[index]]
        indent = self.indents[index]
        for earlier in range(index - 1, -1, -1):
            if indent == 0:
                break
            if self.indents[earlier] < indent:
                parts.append(self.names[earlier])
                indent = self.indents[earlier]
        return ".".join(reversed(parts))

    def names_of(self, start: int, texts: Sequence[str]) -> list[str]:
        """Qualified names of what holds consecutive lines, in order, without blank lines' own."""
        found: dict[int, None] = {}
        inside = -1
        until = 0
        for line, text in enumerate(texts, start):
            if line < until and text[: inside + 1].isspace() and "@" not in text:
                continue  # further inside the same one
            stripped = text.lstrip()
            if not stripped:
                continue
            index = self._holder(line, len(text) - len(stripped), stripped)
            if index is not None:
                found[index] = None
                inside = self.indents[index]
                until = self._next_definition(line)
        return [self.qualified(index) for index in found]

    def _next_definition(self, line: int) -> int:
        """Line of the first definition below a line; 0 when there is none, to look again."""
        below = bisect_right(self.lines, line)
        return self.lines[below] if below < len(self.lines) else 0

    def _holder(self, line: int, indent: int, stripped: str) -> int | None:
        if stripped.startswith("@"):
            below = bisect_left(self.lines, line)
            if below < len(self.lines) and self.indents[below] == indent:
                return below
        if stripped.startswith(_CLOSING):
            indent += 1
        return self.enclosing(line, indent)


def definitions_of(texts: Iterable[str]) -> FileDefinitions:
    """The table of a whole file."""
    table = FileDefinitions()
    table.extend(0, texts)
    return table
