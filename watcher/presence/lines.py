"""What a line of code is, to line lineage: its key without white space, whether it carries meaning.

Pure; one line of bounded length at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final
from zlib import crc32

_EMPTY_WORDS: Final = frozenset(
    {
        "else:",
        "try:",
        "pass",
        "return",
        "continue",
        "break",
        "finally:",
        "returnNone",
        "returnTrue",
        "returnFalse",
        "exceptException:",
        '"""',
        "'''",
        "@staticmethod",
        "@classmethod",
        "@property",
        "elif",
        "endif",
        "#endif",
        "#else",
        "returnself",
        "returnresult",
        "returnoutput",
        "raise",
        "{",
        "}",
        "return;",
        "break;",
    }
)
_COMMENT = re.compile(
    r"\s*(?:#(?!\s*(?:include|define|if|ifdef|ifndef|else|endif|pragma)\b)|//|\*|/\*)"
)
_FOUR_WORD_CHARACTERS = re.compile(r"[^\W_][\W_]*[^\W_][\W_]*[^\W_][\W_]*[^\W_]")
_IMPORT = re.compile(r"\s*(?:import\s|from\s+\S+\s+import\b|#\s*include\b|using\s)")


def line_keys(texts: Iterable[str]) -> list[str]:
    """Lines without white space: equal keys are one line, however indented."""
    return list(map("".join, map(str.split, texts)))


def telling(texts: Sequence[str], keys: Iterable[str]) -> list[int]:
    """Indexes of the lines that say something: not comments, brackets, bare key words and others
    that any file holds.
    """
    return [
        index
        for index, key in enumerate(keys)
        if len(key) >= 4
        and key not in _EMPTY_WORDS
        and (key[:4].isalnum() or _FOUR_WORD_CHARACTERS.search(key) is not None)
        and (key[0] not in "#/*" or _COMMENT.match(texts[index]) is None)
    ]


def is_import(text: str) -> bool:
    """True for a line that imports or includes."""
    return _IMPORT.match(text) is not None


def without_layout(keys: Iterable[str]) -> str:
    """What is left of lines when quotes, commas, round brackets and line breaks do not count."""
    joined = "".join([key.removesuffix("\\") for key in keys])
    return joined.replace("'", '"').replace(",", "").replace("(", "").replace(")", "")


def place_key(path: str, key: str) -> int:
    """A 64-bit number for a line of a file, the same in every process."""
    return _path_part(path) | crc32(key.encode("utf-8", "replace"))


@lru_cache(maxsize=1_000)
def _path_part(path: str) -> int:
    return crc32(path.encode("utf-8", "replace")) << 32
