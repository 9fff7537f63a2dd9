r"""Paths as git prints them in diff headers -> plain paths.

Pure. A path with a quote, a backslash or a control character comes in double quotes with C escapes;
bytes that are not UTF-8 are replaced.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_LETTERS: Final = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_QUOTED_PAIR = re.compile(rb'("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S.*)', re.DOTALL)


def plain_path(raw: bytes, *, prefix: bool = False) -> str:
    """A path without quotes and escapes, and without ``a/`` or ``b/`` when ``prefix`` is set."""
    text = raw.rstrip(b"\r\n")
    if text.startswith(b'"'):
        text = _ESCAPE.sub(_unescaped, text[1:].rpartition(b'"')[0] or text[1:])
    else:
        text = text.rstrip(b"\t")
    if prefix and text[:2] in {b"a/", b"b/"}:
        text = text[2:]
    return text.decode("utf-8", "replace")


def header_paths(rest: bytes) -> tuple[str, str]:
    """Old and new path of ``diff --git a/OLD b/NEW``.

    Without quotes the line is ambiguous unless both are the same; renames are told by later lines.
    """
    if b'"' in rest:
        pair = _QUOTED_PAIR.fullmatch(rest)
        if pair is not None:
            return plain_path(pair[1], prefix=True), plain_path(pair[2], prefix=True)
    half = (len(rest) - 1) // 2
    old, new = rest[:half], rest[half + 1 :]
    return plain_path(old, prefix=True), plain_path(new, prefix=True)


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    if code[:1].isdigit():
        return bytes([int(code, 8) & 0xFF])
    return _LETTERS.get(code, code)
