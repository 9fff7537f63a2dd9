"""Cuts a stream of bytes into lines of bounded length. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

LONGEST_LINE: Final = 64 * 1024


def line_batches(chunks: Iterable[bytes], limit: int = LONGEST_LINE) -> Iterator[list[bytes]]:
    r"""Lines without their ``\n``, each cut after ``limit`` bytes; memory stays bounded."""
    rest = b""
    for chunk in chunks:
        lines = chunk.split(b"\n")
        lines[0] = rest + lines[0]
        rest = lines.pop()
        if len(rest) > limit:
            rest = rest[:limit]
        if lines:
            is_long = max(map(len, lines)) > limit
            yield [line[:limit] for line in lines] if is_long else lines
    if rest:
        yield [rest]


def split_lines(chunks: Iterable[bytes], limit: int = LONGEST_LINE) -> Iterator[bytes]:
    """The lines of ``line_batches`` one by one."""
    return chain.from_iterable(line_batches(chunks, limit))


def split_records(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Records that end in a zero byte, each cut after ``limit`` bytes."""
    rest = b""
    for chunk in chunks:
        *records, rest = (rest + chunk).split(b"\0")
        yield from (record[:limit] for record in records)
        rest = rest[: limit + 1]
    if rest:
        yield rest[:limit]
