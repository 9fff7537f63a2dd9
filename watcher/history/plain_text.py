"""Strangers' text -> text that is safe to store and show: bounded, valid, without control codes.

Pure. Line structure is kept; terminal colours, other control characters, bidirectional overrides
and lone surrogates go.
"""

from __future__ import annotations

import re
from typing import Final

TITLE_LIMIT: Final = 300
"""Characters kept of a title."""
BODY_LIMIT: Final = 65_536
"""Characters kept of a body (GitHub's own limit for what a person can type)."""
CUT_MARK: Final = "\n[cut]"
"""Ends a text that was longer than its limit."""

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|[@-_])")
_NEWLINE: Final = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def plain_text(text: str, limit: int = BODY_LIMIT) -> str:
    """The text without control characters, at most ``limit`` characters and a mark when cut."""
    is_cut = len(text) > limit
    kept = _CONTROL.sub("", _NEWLINE.sub("\n", _ANSI.sub("", text[:limit])))
    return kept + CUT_MARK if is_cut else kept


def plain_line(text: str, limit: int = TITLE_LIMIT) -> str:
    """The text as one line: white space runs become one blank each."""
    return " ".join(plain_text(text[: 4 * limit]).split())[:limit]
