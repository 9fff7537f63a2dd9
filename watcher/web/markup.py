"""Upstream's Markdown and patches -> HTML that cannot harm. No I/O.

Markdown is parsed without raw HTML, its images become their words, and what comes out is cleaned
once more. Patches are coloured by class names, since the page allows no inline style.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup
from msgspec import Struct
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

from watcher.report.escape import plain

_TAGS: Final = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_LARGEST_TEXT: Final = 40_000
_MOST_LINES: Final = 3_000
"""Lines of a patch that are shown on a page."""
_LONGEST_COLOURED: Final = 400
"""A longer line leaves its hunk without colours: generated text, and slow to parse."""
_LEXERS: Final = {
    ".py": "python", ".pyi": "python", ".sh": "bash", ".yaml": "yaml", ".yml": "yaml",
    ".json": "json", ".toml": "toml", ".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp",
    ".cu": "cpp", ".cuh": "cpp", ".hpp": "cpp",
}  # fmt: skip


# --- Markdown ---


def markdown_html(text: str) -> Markup:
    """Somebody's Markdown as HTML: no raw HTML, no image, links that tell nobody where from."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_block", "html_inline"])
    raw = parser.render(plain(text)[:_LARGEST_TEXT])
    raw = raw.replace("<pre><code></code></pre>\n", "")  # a fence that was cut at its start
    for level in (1, 2):  # the page's own headings come first
        raw = raw.replace(f"<h{level}>", "<h3>").replace(f"</h{level}>", "</h3>")
    cleaned = nh3.clean(
        raw,
        tags=_TAGS,
        attributes={"a": {"href", "title"}},
        url_schemes={"http", "https"},
        link_rel="nofollow noopener noreferrer",
    )
    return Markup(cleaned)  # noqa: S704  cleaned by nh3 just above


# --- patches ---


class PatchLine(Struct, frozen=True):
    """One line of a hunk."""

    kind: str
    """``add``, ``del``, ``same`` or ``note``."""
    sign: str
    html: Markup
    old: int | None = None
    new: int | None = None


class PatchHunk(Struct, frozen=True):
    """One contiguous region."""

    head: str
    lines: tuple[PatchLine, ...]


class PatchFile(Struct, frozen=True):
    """The hunks of one file."""

    path: str
    hunks: tuple[PatchHunk, ...]


class PatchView(Struct, frozen=True):
    """A patch laid out for reading."""

    files: tuple[PatchFile, ...]
    left_out: int
    """Lines beyond what a page shows."""


def patch_view(patch: str) -> PatchView:
    """A unified diff as files, hunks and coloured lines."""
    lines = plain(patch).split("\n")
    files = []
    for path, hunks in _split(lines[:_MOST_LINES]):
        lexer = _lexer(path)
        laid = tuple(PatchHunk(head, tuple(_lines(head, body, lexer))) for head, body in hunks)
        files.append(PatchFile(path, laid))
    return PatchView(tuple(files), max(0, len(lines) - _MOST_LINES))


def _split(lines: list[str]) -> Iterator[tuple[str, list[tuple[str, list[str]]]]]:
    path, hunks = "", list[tuple[str, list[str]]]()
    is_in_head = True
    for line in lines:
        if line.startswith("diff --git "):
            if hunks:
                yield path, hunks
            path, hunks, is_in_head = line.rpartition(" b/")[2], [], True
        elif line.startswith("@@"):
            hunks.append((line, []))
            is_in_head = False
        elif is_in_head and line.startswith("+++ b/"):
            path = line[6:].split("\t")[0]
        elif hunks:
            hunks[-1][1].append(line)
    if hunks:
        yield path, hunks


def _lines(head: str, body: list[str], lexer: Lexer | None) -> Iterator[PatchLine]:
    while body and not body[-1]:
        body.pop()
    old, new = _starts(head)
    coloured = _coloured([line[1:] for line in body], lexer)
    for line, text in zip(body, coloured, strict=True):
        sign = line[:1]
        if sign == "+":
            yield PatchLine("add", "+", text, None, new)
            new += 1
        elif sign == "-":
            yield PatchLine("del", "−", text, old, None)
            old += 1
        elif sign == "\\":
            yield PatchLine("note", "", text)
        else:
            yield PatchLine("same", " ", text, old, new)
            old, new = old + 1, new + 1


def _starts(head: str) -> tuple[int, int]:
    """First line numbers of ``@@ -17,8 +17,9 @@``; 1 for what cannot be read."""
    words = head.split(" ", 3)
    numbers = [word[1:].split(",")[0] for word in words[1:3]]
    old, new = (int(one) if one.isdigit() and len(one) < 9 else 1 for one in (*numbers, "", "")[:2])
    return old, new


def _lexer(path: str) -> Lexer | None:
    name = _LEXERS.get(PurePosixPath(path).suffix.lower())
    return None if name is None else get_lexer_by_name(name, stripnl=False, ensurenl=False)


def _coloured(lines: list[str], lexer: Lexer | None) -> list[Markup]:
    """Lines as HTML, coloured when they are plainly source text."""
    if lexer is None or any(len(line) > _LONGEST_COLOURED for line in lines):
        return [Markup(html.escape(line)) for line in lines]  # noqa: S704  escaped
    made = [""]
    for kind, text in lexer.get_tokens("\n".join(lines)):
        css = STANDARD_TYPES.get(kind, "")
        for place, part in enumerate(text.split("\n")):
            if place:
                made.append("")
            if part:
                escaped = html.escape(part)
                made[-1] += f'<span class="{css}">{escaped}</span>' if css else escaped
    made += [""] * (len(lines) - len(made))
    return [Markup(line) for line in made[: len(lines)]]  # noqa: S704  escaped above
