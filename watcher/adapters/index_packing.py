"""Documents <-> the form in which the search index holds them. Pure; works in any process."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final, TypeAlias

import msgspec

from watcher.facts.document import Document
from watcher.matching.document import FIELDS
from watcher.ports.index import PackedDocument

_Groups: TypeAlias = dict[str, dict[int, str]]
"""Field -> count -> its tokens in one string: small, and quick to read back."""
_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(_Groups)
_MAX_REPEATS: Final = 8
"""A token counts at most this often in a field for the search; documents keep the true count."""


def packed(document: Document) -> PackedDocument:
    """A document as the index holds it."""
    groups = _group(document.fields)
    return PackedDocument(
        key=document.key,
        position=document.position,
        fields=zlib.compress(_ENCODER.encode(groups), 1),
        texts=_texts(groups),
        lengths={name: sum(tokens.values()) for name, tokens in document.fields.items()},
    )


def unpacked(fields: bytes) -> dict[str, dict[str, int]]:
    """Token counts by field. Raises ValueError and zlib.error for what is no packed document."""
    try:
        groups = _DECODER.decode(zlib.decompress(fields))
    except msgspec.DecodeError as error:
        raise ValueError(f"no packed document: {error}") from error
    found: dict[str, dict[str, int]] = {name: {} for name in FIELDS}
    for name, counts in groups.items():
        for count, tokens in counts.items():
            found[name].update(dict.fromkeys(tokens.split(" "), count))
    return found


def texts_of(fields: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """What is searched, column by column; the same for the same fields."""
    return _texts(_group(fields))


def _group(fields: Mapping[str, Mapping[str, int]]) -> _Groups:
    grouped: dict[str, dict[int, list[str]]] = {}
    for name in FIELDS:
        counts: dict[int, list[str]] = {}
        for token, count in fields.get(name, {}).items():
            if count in counts:
                counts[count].append(token)
            else:
                counts[count] = [token]
        if counts:
            grouped[name] = counts
    return {
        name: {count: " ".join(tokens) for count, tokens in counts.items()}
        for name, counts in grouped.items()
    }


def _texts(groups: _Groups) -> tuple[str, ...]:
    """The text of each column: each token as often as it counts; the same for the same fields."""
    return tuple(
        " ".join(
            [
                " ".join([tokens] * min(count, _MAX_REPEATS))
                for count, tokens in groups.get(name, {}).items()
            ]
        )
        for name in FIELDS
    )
