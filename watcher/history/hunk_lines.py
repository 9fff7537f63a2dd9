"""The lines that follow a hunk's header -> the text of what it removes and adds.

Pure. A hunk is usually whole, its removed lines before its added ones, and is then read at once;
any other is read line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

LINE_BYTES: Final = 2_000
"""A line is cut here: what follows says nothing about a fix."""
_LINES_AT_ONCE: Final = 1_000


class LineStream:
    """Lines one by one or many at once, of batches as they come."""

    def __init__(self, batches: Iterable[Sequence[bytes]]) -> None:
        self._batches = iter(batches)
        self._lines: Sequence[bytes] = ()
        self._at = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        while self._at >= len(self._lines):
            self._lines = next(self._batches)
            self._at = 0
        self._at += 1
        return self._lines[self._at - 1]

    def take(self, count: int) -> Sequence[bytes]:
        """The next lines, fewer at the end."""
        while self._at + count > len(self._lines):
            batch = next(self._batches, None)
            if batch is None:
                break
            self._lines = [*self._lines[self._at :], *batch]
            self._at = 0
        taken = self._lines[self._at : self._at + count]
        self._at += len(taken)
        return taken

    def give_back(self, count: int) -> None:
        """Put back the lines that were taken last."""
        self._at -= count


class HunkBody(Struct):
    """The lines of a hunk as they were read."""

    removed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    size: int = 0
    """Bytes of all its lines, kept or not."""
    is_whole: bool = True
    stray: bytes | None = None
    """A line that is no part of the hunk, though more were announced."""


def read_body(stream: LineStream, old_count: int, new_count: int, room: int) -> HunkBody:
    """A hunk of as many lines; text beyond ``room`` bytes is passed over."""
    usual = _read_at_once(stream, old_count, new_count, room)
    return usual if usual is not None else read_by_line(stream, old_count + new_count, room)


def _read_at_once(stream: LineStream, old_count: int, new_count: int, room: int) -> HunkBody | None:
    """A usual hunk; None for another, and the stream is as it was."""
    count = old_count + new_count
    if count > _LINES_AT_ONCE:
        return None
    lines = stream.take(count)
    size = sum(map(len, lines))
    if len(lines) == count and (size <= room or room <= 0):
        removed = _texts(lines[:old_count], "-")
        added = _texts(lines[old_count:], "+")
        if removed is not None and added is not None:
            return HunkBody(removed, added, size) if room > 0 else HunkBody(size=size)
    stream.give_back(len(lines))
    return None


def _texts(lines: Sequence[bytes], sign: str) -> list[str] | None:
    """Text of lines that all have the same sign; None when one has another."""
    if not lines:
        return []
    if max(map(len, lines)) > LINE_BYTES:
        lines = [line[:LINE_BYTES] for line in lines]
    joined = b"\n".join(lines).decode("utf-8", "replace")
    texts = joined[1:].split("\n" + sign)
    if joined[:1] != sign or len(texts) != len(lines) or joined.count("\n") >= len(lines):
        return None
    return [text.rstrip("\r") for text in texts] if "\r" in joined else texts


def read_by_line(stream: LineStream, count: int, room: int) -> HunkBody:
    """A hunk of so many lines, in whatever order and with what stands between them."""
    body = HunkBody()
    left = count
    while left > 0:
        raw = next(stream, b"")
        sign = raw[:1]
        if sign == b"+":
            target = body.added
        elif sign == b"-":
            target = body.removed
        elif sign == b"\\":
            continue
        else:
            body.stray = raw
            body.is_whole = False
            break
        left -= 1
        body.size += len(raw)
        if body.size <= room:
            target.append(raw[1:LINE_BYTES].rstrip(b"\r\n").decode("utf-8", "replace"))
    return body
