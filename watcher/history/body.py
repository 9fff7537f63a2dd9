"""A raw commit message body -> its own words, without template, trailers and boilerplate. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from watcher.upstreams.profile import Profile, Regex

RAW_LIMIT: Final = 65_536
"""Characters of a raw body that are kept."""
BODY_LIMIT: Final = 32_768
LINE_LIMIT: Final = 2_000

_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,32}[ -/]?[@-~]|\][^\x07\x1b]{0,256}\x07?|.)?")
_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff]+"
)
"""Control, zero-width, direction and surrogate characters; newline and tab stay."""
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_NUMBERS: Final = re.compile(r"[0-9a-f]{7,40}|\d+")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_ERROR_LINE: Final = re.compile(
    r'\s*(?:Traceback \(most|File "|(?:\w+\.)*\w+(?:Error|Exception)\b)'
)
_BLANKS: Final = re.compile(r"\n{3,}")


def plain_text(text: str) -> str:
    """Text without terminal escapes, control, zero-width and direction characters."""
    unescaped = _ANSI.sub("", text) if "\x1b" in text else text
    return _UNSEEN.sub("", unescaped.replace("\r\n", "\n").replace("\r", "\n"))


def valid_text(text: str) -> str:
    """Text that any database and any encoder takes: no NUL, no lone surrogate; else as it was."""
    return _SURROGATE.sub("\ufffd", text.replace("\x00", ""))


def without_comments(text: str) -> str:
    """Text without HTML comments; an unclosed one ends with the text."""
    if "<!--" not in text:
        return text
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join(parts)
        at = end + 3
    return "".join([*parts, text[at:]])


def without_code(text: str) -> str:
    """Text without fenced blocks."""
    kept: list[str] = []
    is_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            kept.append(line)
    return "\n".join(kept)


@lru_cache(maxsize=16_384)
def normal_line(line: str) -> str:
    """A line as boilerplate is counted: lower case, numbers and object names as ``0``."""
    return _NUMBERS.sub("0", line.strip().lower())


def boilerplate(bodies: Iterable[str]) -> frozenset[str]:
    """Normalised lines found in more than 4 bodies and more than 0.4 % of them.

    Headings, fences and error lines are not counted: they carry the form of the others.
    """
    counts: Counter[str] = Counter()
    total = 0
    for body in bodies:
        total += 1
        lines = {normal_line(line) for line in body[:RAW_LIMIT].split("\n") if _may_repeat(line)}
        counts.update(lines)
    limit = max(4.0, 0.004 * total)
    return frozenset(line for line, count in counts.items() if line and count > limit)


@lru_cache(maxsize=16_384)
def _may_repeat(line: str) -> bool:
    return not (_HEADING.match(line) or _FENCE.match(line) or _ERROR_LINE.match(line))


def own_lines(raw: str, profile: Profile) -> str:
    """The body without comments, trailers and lines of the template: what references are read in.

    Checklists stay: authors name related changes there.
    """
    is_dropped = _line_filter((*profile.template_lines, *profile.trailer_lines))
    lines = without_comments(plain_text(raw)).split("\n")
    bounded = (line[:LINE_LIMIT] for line in lines)
    return "\n".join(line for line in bounded if not is_dropped(line.strip()))


def clean_body(own: str, profile: Profile, common_lines: frozenset[str]) -> str:
    """The words of the change itself, from ``own_lines``: boilerplate, template sections and
    headings with nothing below them are gone.
    """
    sections = frozenset(heading.lower() for heading in profile.template_sections)
    kept: list[str] = []
    skipped_level = 0
    for line in own.split("\n"):
        heading = _HEADING.match(line)
        if heading:
            level = len(heading.group(1))
            if skipped_level and level > skipped_level:
                continue
            name = heading.group(2).rstrip("# \t").lower()
            skipped_level = level if name in sections else 0
        if not skipped_level and (heading or not _is_common(line, common_lines)):
            kept.append(line.rstrip())
    return _BLANKS.sub("\n\n", "\n".join(_with_content(kept))).strip("\n")[:BODY_LIMIT]


def _is_common(line: str, common_lines: frozenset[str]) -> bool:
    return bool(common_lines) and normal_line(line) in common_lines and _may_repeat(line)


def _with_content(lines: list[str]) -> list[str]:
    kept: list[str] = []
    level_below = 0
    has_content = False
    for line in reversed(lines):
        heading = _HEADING.match(line)
        if heading is None:
            has_content = has_content or any(character.isalnum() for character in line)
            kept.append(line)
        elif has_content or len(heading.group(1)) < level_below:
            level_below, has_content = len(heading.group(1)), False
            kept.append(line)
        else:
            _drop_blank(kept)
    return kept[::-1]


def _drop_blank(kept: list[str]) -> None:
    while kept and not kept[-1].strip():
        kept.pop()


@lru_cache(maxsize=16)
def _line_filter(patterns: tuple[Regex, ...]) -> Callable[[str], bool]:
    """Whether any pattern is found in a line; template lines repeat, so answers are kept."""
    if not patterns:
        return lambda _line: False
    combined = re.compile(
        "|".join(f"(?:{part.pattern})" for part in patterns), re.IGNORECASE | re.ASCII
    )

    @lru_cache(maxsize=16_384)
    def is_found(line: str) -> bool:
        return combined.search(line) is not None

    return is_found
