"""The names that code uses -> the position at which each first came into the tree.

Pure. Followed are names that look like code, attributes that are read (``input_ids.gpu``) and
keyword arguments (``gts=``); a word of everyday English says nothing. Births only: a name that goes
and comes back keeps its first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

_NAME = re.compile(r"[A-Za-z_]\w{0,79}(?:\.[A-Za-z_]\w{0,79}){0,12}(?:\(|=(?=[\w\"'(\[{-]))?")
_CODE_LIKE = re.compile(r"\w_\w|^_|[a-z][A-Z]|[A-Z]{2}|[A-Za-z]\d|\.|=$")
_SHORTEST: Final = 4
_MOST_NOTED: Final = 100_000
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


@lru_cache(maxsize=100_000)
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

    def __init__(self, births: dict[str, int] | None = None) -> None:
        self.births = births if births is not None else {}
        self._noted: set[str] = set()
        """Words that stood there before, all of their names being in ``births``."""

    def add(self, texts: Iterable[str], position: int) -> None:
        """Note the names of lines that came at a position; positions come in order."""
        births = self.births
        words = _words_of(texts) - self._noted
        for written in _written_in(words):
            for name in _names_of(written):
                if name not in births:
                    births[name] = position
        self._noted |= words
        if len(self._noted) > _MOST_NOTED:
            self._noted.clear()

    def known(self, names: Iterable[str]) -> list[tuple[int, str]]:
        """(birth, name) of the names that are there already, newest first."""
        births = self.births
        found = [(births[name], name) for name in names if name in births]
        return sorted(found, key=lambda pair: (-pair[0], pair[1]))
