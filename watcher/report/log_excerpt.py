"""The lines of a log -> what a bug report quotes of it, in bounded memory.

Pure. Kept are the beginning, the first tracebacks of the middle, and the end; gaps are counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct, field

_HEAD: Final = 150
_TAIL: Final = 1_500
_BLOCKS: Final = 12
_BLOCK: Final = 100
"""Lines kept of the beginning, of the end, and of each of so many tracebacks in between."""
_FIRST_CHOICE: Final = 250
_LONGEST_LINE: Final = 2_000


class KeptLog(Struct):
    """Keeps what matters of a log while somebody else reads it."""

    count: int = 0
    """Lines seen."""
    _head: list[tuple[int, str]] = field(default_factory=list)
    _blocks: list[tuple[int, str]] = field(default_factory=list)
    _tail: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_TAIL))
    _block_count: int = 0
    _block_left: int = 0

    def keep(self, lines: Iterable[str]) -> Iterator[str]:
        """The same lines, kept while they pass."""
        for line in lines:
            self._take(line.rstrip("\r\n")[:_LONGEST_LINE])
            yield line

    def text(self, limit: int) -> str:
        """At most about ``limit`` characters, gaps marked; the end and the tracebacks first."""
        chosen: dict[int, str] = {}
        for at, line in self._by_importance():
            if at in chosen:
                continue
            limit -= len(line) + 1
            if limit < 0:
                break
            chosen[at] = line
        return "\n".join(self._with_gaps(chosen))

    def _take(self, line: str) -> None:
        if len(self._head) < _HEAD:
            self._head.append((self.count, line))
        if "Traceback (most recent call last)" in line and self._block_count < _BLOCKS:
            self._block_count += 1
            self._block_left = _BLOCK
        if self._block_left:
            self._block_left -= 1
            self._blocks.append((self.count, line))
        self._tail.append((self.count, line))
        self.count += 1

    def _by_importance(self) -> Iterator[tuple[int, str]]:
        tail = list(self._tail)
        yield from reversed(tail[-_FIRST_CHOICE:])
        yield from self._blocks
        yield from self._head
        yield from reversed(tail[:-_FIRST_CHOICE])

    def _with_gaps(self, chosen: dict[int, str]) -> Iterator[str]:
        expected = 0
        for at in sorted(chosen):
            if at > expected:
                yield f"[… {at - expected:,} lines left out …]"
            yield chosen[at]
            expected = at + 1
        if expected < self.count:
            yield f"[… {self.count - expected:,} lines left out …]"
