"""A lineage -> bytes that another process can go on from, and back.

Pure. One zlib stream: a JSON header of names and lengths, then little-endian arrays. Equal lineages
give equal bytes. A file of another version or a damaged one is refused: the caller rebuilds it.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from typing import Final

from watcher.errors import StoreError
from watcher.history.definitions import FileDefinitions
from watcher.presence.chains import Chains
from watcher.presence.folders import Folders
from watcher.presence.lineage import Lineage
from watcher.presence.names import NameBirths

VERSION: Final = 2
_MAGIC: Final = b"watcher-lineage\n"
_LEVEL: Final = 1


def dump(lineage: Lineage) -> bytes:
    """The state of a lineage."""
    paths = sorted(lineage.lines)
    defined = sorted(path for path, table in lineage.definitions.items() if table.lines)
    chains = lineage.chains.all()
    gone = sorted(lineage.gone.items())
    folders = sorted(lineage.folders.counts)
    known = sorted(lineage.names.births)
    header = {
        "version": VERSION,
        "paths": paths,
        "defined": defined,
        "names": [" ".join(lineage.definitions[path].names) for path in defined],
        "folders": folders,
        "known": known,
    }
    tables = (
        _ints(len(lineage.lines[path]) for path in paths),
        _joined(lineage.lines[path] for path in paths),
        _ints(len(lineage.definitions[path].lines) for path in defined),
        _joined(lineage.definitions[path].lines for path in defined),
        _joined(lineage.definitions[path].indents for path in defined),
        _ints(map(len, chains)),
        _joined(chains),
        array("Q", [key for key, _ in gone]),
        _ints(held[0] for _, held in gone),
        _ints(held[1] for _, held in gone),
        _ints(lineage.folders.counts[folder] for folder in folders),
        _ints(lineage.folders.births[folder] for folder in folders),
        _ints(lineage.names.births[name] for name in known),
        lineage.names.older,
    )
    text = json.dumps(header, separators=(",", ":")).encode()
    parts = [_MAGIC, _size(text), text]
    for table in tables:
        raw = _little_endian(table).tobytes()
        parts += [_size(raw), raw]
    return zlib.compress(b"".join(parts), _LEVEL)


def load(state: bytes) -> Lineage:
    """The lineage of a state. Raises StoreError when it cannot be read."""
    try:
        return _loaded(_Reader(zlib.decompress(state)))
    except (zlib.error, ValueError, KeyError, IndexError, TypeError) as error:
        raise StoreError(
            "the line-lineage state cannot be read", mend="it is rebuilt by the next sync"
        ) from error


def _loaded(reader: _Reader) -> Lineage:
    header = reader.header()
    lineage = Lineage()
    sizes, lines = reader.ints(), reader.ints()
    for path, part in zip(header["paths"], _split(lines, sizes), strict=True):
        lineage.lines[path] = part
    sizes, starts, indents = reader.ints(), reader.ints(), reader.ints()
    tables = zip(
        header["defined"],
        header["names"],
        _split(starts, sizes),
        _split(indents, sizes),
        strict=True,
    )
    for path, names, own_lines, own_indents in tables:
        lineage.definitions[path] = FileDefinitions(
            own_lines.tolist(), own_indents.tolist(), [sys.intern(n) for n in names.split(" ")]
        )
    sizes, steps = reader.ints(), reader.ints()
    lineage.chains = Chains(tuple(part) for part in _split(steps, sizes))
    keys, origins, positions = reader.keys(), reader.ints(), reader.ints()
    lineage.gone = dict(zip(keys, zip(origins, positions, strict=True), strict=True))
    counts, births = reader.ints(), reader.ints()
    lineage.folders = Folders(
        dict(zip(header["folders"], counts, strict=True)),
        dict(zip(header["folders"], births, strict=True)),
    )
    known = (sys.intern(name) for name in header["known"])
    lineage.names = NameBirths(dict(zip(known, reader.ints(), strict=True)), reader.keys())
    return lineage


class _Reader:
    """Reads the parts of a state in order."""

    def __init__(self, raw: bytes) -> None:
        if not raw.startswith(_MAGIC):
            raise ValueError("not a lineage state")
        self._raw = raw
        self._at = len(_MAGIC)

    def _part(self) -> bytes:
        start = self._at + 8
        size = int.from_bytes(self._raw[self._at : start], "little")
        self._at = start + size
        if self._at > len(self._raw):
            raise ValueError("cut short")
        return self._raw[start : self._at]

    def header(self) -> dict[str, list[str]]:
        held = json.loads(self._part())
        if held.pop("version") != VERSION:
            raise ValueError("another version")
        return {key: [str(text) for text in texts] for key, texts in held.items()}

    def ints(self) -> array[int]:
        return self._array("i")

    def keys(self) -> array[int]:
        return self._array("Q")

    def _array(self, code: str) -> array[int]:
        table: array[int] = array(code)
        table.frombytes(self._part())
        return _little_endian(table)


def _ints(values: Iterable[int]) -> array[int]:
    return array("i", values)


def _joined(parts: Iterable[Sequence[int]]) -> array[int]:
    joined: array[int] = array("i")
    for part in parts:
        joined.extend(part)
    return joined


def _split(joined: array[int], sizes: Sequence[int]) -> Iterable[array[int]]:
    if sum(sizes) != len(joined):
        raise ValueError("lengths do not agree")
    at = 0
    for size in sizes:
        yield joined[at : at + size]
        at += size


def _size(raw: bytes) -> bytes:
    return len(raw).to_bytes(8, "little")


def _little_endian(table: array[int]) -> array[int]:
    if sys.byteorder == "big":
        table = array(table.typecode, table)
        table.byteswap()
    return table
