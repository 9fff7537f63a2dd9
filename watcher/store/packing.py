"""Rows <-> bytes, for setting them aside and for other processes. Pure.

Imports no database: a second process that packs changes starts quickly.
"""

from __future__ import annotations

from typing import Final

import msgspec

from watcher.facts.change import Change
from watcher.ports.store import PackedChange
from watcher.store.codec import CodecError
from watcher.store.mapping import Row, change_paths, change_row

PATHS: Final = "paths"
"""Key of a change's paths beside the columns of its row."""
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(dict[str, object])


def packed(row: Row) -> bytes:
    """A row as bytes. Raises CodecError."""
    try:
        return _ENCODER.encode(row)
    except (TypeError, ValueError, OverflowError) as error:
        raise CodecError(f"cannot be stored: {error}") from error


def unpacked(packed_row: bytes) -> Row:
    """The row that ``packed`` was given."""
    return _DECODER.decode(packed_row)


def packed_change(change: Change) -> PackedChange:
    """A ``change`` row together with its paths. Raises CodecError."""
    return PackedChange(packed({**change_row(change), PATHS: change_paths(change)}))
