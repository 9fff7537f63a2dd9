"""Rows set aside in an anonymous temporary file until the write lock is taken.

Reading upstream's history takes minutes, writing its rows a second or two: with the rows set aside
nobody else waits for git, and memory stays small. The file vanishes with the process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import IO, Final, Self

from watcher.errors import StoreError
from watcher.store.mapping import Row
from watcher.store.packing import unpacked

_LENGTH_BYTES: Final = 4


class Spool(AbstractContextManager["Spool"]):
    """Packed rows in order of coming. Raises StoreError when the temporary directory is full."""

    def __init__(self, rows: Iterable[bytes]) -> None:
        self._file: IO[bytes] = _temporary_file()
        try:
            for row in rows:
                self._append(row)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Row]:
        self._file.seek(0)
        while head := self._file.read(_LENGTH_BYTES):
            yield unpacked(self._file.read(int.from_bytes(head, "big")))

    def _append(self, row: bytes) -> None:
        try:
            self._file.write(len(row).to_bytes(_LENGTH_BYTES, "big"))
            self._file.write(row)
        except OSError as error:
            raise _full(error) from error


def _temporary_file() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(prefix="watcher-")
    except OSError as error:
        raise _full(error) from error


def _full(error: OSError) -> StoreError:
    return StoreError(
        f"new changes cannot be set aside: {error.strerror or error}",
        where=tempfile.gettempdir(),
        mend="free some space there, or set TMPDIR to another directory",
    )
