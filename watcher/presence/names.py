"""The names that code uses -> the position at which each first came into the tree.

Pure. Followed are names that look like code, attributes that are read (``input_ids.gpu``) and
keyword arguments (``gts=``); a word of everyday English says nothing. Births only: a name that goes
and comes back keeps its first.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final
from zlib import adler32, crc32

from watcher.facts.change import BEFORE_RANGE

_NAME = re.compile(r"[A-Za-z_]\w{0,79}(?:\.[A-Za-z_]\w{0,79}){0,12}(?:\(|=(?=[\w\"'(\[{-]))?")
_CODE_LIKE = re.compile(r"\w_\w|^_|[a-z][A-Z]|[A-Z]{2}|[A-Za-z]\d|\.|=$")
_SHORTEST: Final = 4
_MOST_NOTED: Final = 100_000
_KEY: Final = "Q"
_COMMENTS: Final = ("#", "//", "*")
_TARGETS = re.compile(
    r"\s*\(?([A-Za-z_][\w.]*(?:\s?,\s?[A-Za-z_*][\w.]*){0,8})\)?\s?(?::[^=]*)?=(?!=)"
)
_BLANK: Final = r"[^\S\n]"
_ANNOTATED = re.compile(rf"(?:^{_BLANK}*|[(,]{_BLANK}?)([A-Za-z_]\w*){_BLANK}?:", re.MULTILINE)
_INTRODUCED = re.compile(
    rf"(?:def(?<!\wdef)|class(?<!\wclass)|as(?<!\was)){_BLANK}+(\w+)"
    rf"|for(?<!\wfor){_BLANK}{{1,9}}(?=\S)([\w, ()]{{1,80}}?){_BLANK}{{1,9}}in\b"
)
_WORD = re.compile(r"[A-Za-z_]\w*")


def names_in(texts: Iterable[str]) -> set[str]:
    """Names on lines of code; comments are left out."""
    return set().union(*map(_names_of, _written_in(_words_of(texts))))


def _words_of(texts: Iterable[str]) -> set[str]:
    """What stands between the spaces of lines of code: no name holds one."""
    code = [text for text in texts if not text.lstrip().startswith(_COMMENTS)]
    return set(" ".join(code).split())


def _written_in(words: Iterable[str]) -> set[str]:
    return set(_NAME.findall(" ".join(words)))


@lru_cache(maxsize=50_000)
def _names_of(written: str) -> tuple[str, ...]:
    """A dotted name's parts, and its attributes with what they belong to; not a method's."""
    parts = written.rstrip("(=").split(".")
    names = [part for part in parts if len(part) >= _SHORTEST]
    if written.endswith("=") and len(parts) == 1:
        names.append(written)
    reads = len(parts) - written.endswith("(")
    names += [
        f"{parts[at - 1]}.{parts[at]}" for at in range(1, reads) if len(parts[at - 1]) >= _SHORTEST
    ]
    return tuple([name for name in names if _CODE_LIKE.search(name) is not None])


def names_bound(texts: Sequence[str]) -> set[str]:
    """Names that lines of code give a meaning themselves: assigned, defined, parameters."""
    found: set[str] = set()
    for text in texts:
        if "=" not in text or text.rstrip().endswith(","):
            continue
        target = _TARGETS.match(text)
        if target is not None:
            found.update(_WORD.findall(target[1]))
            found.update(part.strip() for part in target[1].split(","))
    found.update(_ANNOTATED.findall("\n".join([text for text in texts if ":" in text])))
    for introduced in chain.from_iterable(_INTRODUCED.findall("\n".join(texts))):
        found.update(_WORD.findall(introduced))
    return found


class NameBirths:
    """Since when each name has been there."""

    def __init__(
        self, births: dict[str, int] | None = None, older: array[int] | None = None
    ) -> None:
        self.births = births if births is not None else {}
        """Names that came within the range -> position."""
        self.older: array[int] = older if older is not None else array(_KEY)
        """Keys of the names that are older, sorted: a large tree has a million of them."""
        self._noted: set[str] = set()
        """Words that stood there before, all of their names being noted."""
        self._met: set[str] = set()
        """Older names that were asked for before."""

    def seed(self, files: Iterable[Iterable[str]]) -> None:
        """Note the names of the files that the range begins with."""
        keys = self.older
        distinct = 0
        for texts in files:
            words = self._new_words(texts)
            keys.extend(_key(name) for written in _written_in(words) for name in _names_of(written))
            if len(keys) > 2 * distinct + _MOST_NOTED:
                keys = _sorted(keys)
                distinct = len(keys)
        self.older = _sorted(keys)

    def add(self, texts: Iterable[str], position: int) -> None:
        """Note the names of lines that came at a position; positions come in order."""
        births = self.births
        for written in _written_in(self._new_words(texts)):
            for name in _names_of(written):
                if name not in births and not self._is_older(name):
                    births[name] = position

    def known(self, names: Iterable[str]) -> list[tuple[int, str]]:
        """(birth, name) of the names that are there already, newest first."""
        births = self.births
        found = [
            (births.get(name, BEFORE_RANGE), name)
            for name in names
            if name in births or self._is_older(name)
        ]
        return sorted(found, key=lambda pair: (-pair[0], pair[1]))

    def _new_words(self, texts: Iterable[str]) -> set[str]:
        words = _words_of(texts) - self._noted
        if len(self._noted) > _MOST_NOTED:
            self._noted.clear()
        self._noted |= words
        return words

    def _is_older(self, name: str) -> bool:
        if name in self._met:
            return True
        key = _key(name)
        at = bisect_left(self.older, key)
        if at == len(self.older) or self.older[at] != key:
            return False
        if len(self._met) > _MOST_NOTED:
            self._met.clear()
        self._met.add(name)
        return True


def _sorted(keys: array[int]) -> array[int]:
    return array(_KEY, sorted(set(keys)))


def _key(name: str) -> int:
    """A 64-bit number for a name, the same in every process; a million names seldom share one."""
    raw = name.encode("utf-8", "replace")
    return crc32(raw) << 32 | adler32(raw)
