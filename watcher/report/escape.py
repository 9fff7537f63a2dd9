"""Upstream text made safe for one medium each: terminals, Markdown, Slack, one-line headers.

Pure. Titles and bodies come from strangers: escape sequences, bidirectional controls, mentions and
markup must reach no reader. HTML is escaped by Jinja's autoescaping and is not handled here.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?|.)?"
)
_INVISIBLE: Final = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+!|<>~])")
_SLACK: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def plain(text: str) -> str:
    """Text without terminal escapes, control and bidirectional characters; line breaks stay."""
    if text.isprintable():  # holds nothing of what is taken away: by far the most texts
        return text
    without = _ESCAPES.sub("", text)
    return "".join(
        char
        for char in without
        if char in "\n\t"
        or (char not in _INVISIBLE and unicodedata.category(char) not in {"Cc", "Cs", "Co", "Cn"})
    )


def one_line(text: str, limit: int = 200) -> str:
    """Plain text on one line, at most ``limit`` characters, cut with an ellipsis."""
    line = " ".join(plain(text).split())
    return line if len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def markdown(text: str) -> str:
    """One line of text as literal Markdown."""
    return _MARKDOWN.sub(r"\\\1", one_line(text, 400)).replace("@", "@\u200b")


def slack(text: str, limit: int = 400) -> str:
    """One line of text as literal Slack mrkdwn: no mention, no link, no formatting."""
    escaped = "".join(_SLACK.get(char, char) for char in one_line(text, limit))
    return re.sub(r"([*_~`@#])", "\\1\u2060", escaped)


def fenced(text: str, limit: int = 20_000) -> str:
    """Text as a Markdown code block whose fence is longer than any run of backticks inside."""
    body = plain(text)[:limit].rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{body}\n{fence}"
