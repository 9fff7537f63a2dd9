"""Files of the mirror at a commit: names and contents."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from watcher.adapters.git.lines import split_records
from watcher.adapters.git.process import Git

LARGEST_FILE: Final = 16 * 1024 * 1024
"""Contents above this size are left out: no source or configuration file comes near."""
REGULAR: Final = (b"100644", b"100755")


class Entry(Struct, frozen=True):
    """A regular file in a tree."""

    path: str
    """Undecodable bytes as surrogate escapes."""
    oid: str


def list_files(git: Git, sha: str, under: str) -> Iterator[Entry]:
    """Regular files in the tree of a commit, in git's order."""
    arguments = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", sha, "--"]
    chunks = git.stream([*arguments, *([under] if under else [])])
    for record in split_records(chunks, 16_384):
        head, _, path = record.partition(b"\t")
        mode, _, oid = head.split()
        if mode in REGULAR:
            yield Entry(os.fsdecode(path), oid.decode("ascii"))


def read_blobs(git: Git, entries: Sequence[Entry]) -> Iterator[tuple[str, bytes]]:
    """(path, content) of each entry in order, by one process; missing or huge ones left out."""
    oids = "".join(f"{entry.oid}\n" for entry in entries).encode()
    reader = _Reader(git.stream(["cat-file", "--batch", "--buffer"], stdin=oids))
    for entry in entries:
        header = reader.line().split()
        if len(header) != 3:
            continue
        content = reader.take(int(header[2]))
        reader.take(1)
        if content is not None:
            yield entry.path, content


class _Reader:
    """Takes lines and counted bytes from a stream of chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = bytearray()

    def line(self) -> bytes:
        """Up to the next newline, which is dropped."""
        while (end := self._held.find(b"\n")) < 0 and self._more():
            pass
        if end < 0:
            return b""
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def take(self, count: int) -> bytes | None:
        """The next ``count`` bytes; None (and they are skipped) when they are too many."""
        if count > LARGEST_FILE:
            self._skip(count)
            return None
        while len(self._held) < count and self._more():
            pass
        taken = bytes(self._held[:count])
        del self._held[:count]
        return taken

    def _skip(self, count: int) -> None:
        while count > len(self._held):
            count -= len(self._held)
            self._held.clear()
            if not self._more():
                return
        del self._held[:count]

    def _more(self) -> bool:
        chunk = next(self._chunks, b"")
        self._held += chunk
        return bool(chunk)
