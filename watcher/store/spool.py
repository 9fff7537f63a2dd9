"""Rows set aside in an anonymous temporary file until the write lock is taken.

Reading upstream's history takes minutes, writing its rows a second or two: with the rows set aside
nobody else waits for git, and memory stays small. The file vanishes with the process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import IO, Final, Self

import msgspec

from watcher.errors import StoreError
from watcher.store.codec import CodecError
from watcher.store.mapping import Row

_LENGTH_BYTES: Final = 4
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(dict[str, object])


class Spool(AbstractContextManager["Spool"]):
    """Rows in order of coming. Raises StoreError when the temporary directory is full."""

    def __init__(self, rows: Iterable[Row]) -> None:
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
            yield _DECODER.decode(self._file.read(int.from_bytes(head, "big")))

    def _append(self, row: Row) -> None:
        try:
            packed = _ENCODER.encode(row)
        except (TypeError, ValueError, OverflowError) as error:
            raise CodecError(f"cannot be stored: {error}") from error
        try:
            self._file.write(len(packed).to_bytes(_LENGTH_BYTES, "big"))
            self._file.write(packed)
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
