"""The body of a bug report -> error lines, frames, settings and versions that it quotes, and prose.

Pure. Bodies are strangers' text: everything is read line by line with linear patterns, lines and
counts are bounded, and of a long traceback the inner frames are kept. A user's own logs are read
with more care by ``watcher.symptom``, a layer above.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from watcher.facts.symptom import Frame
from watcher.history.body import without_comments
from watcher.history.plain_text import bounded_line

FRAME_LIMIT: Final = 60
ERROR_LIMIT: Final = 20
SETTING_LIMIT: Final = 80
VERSION_LIMIT: Final = 80
PROSE_LIMIT: Final = 20_000
_LINE_LIMIT: Final = 600
_ERROR_WIDTH: Final = 300

_PREFIX: Final = re.compile(
    r"\s*(?:>\s|\([^()]{1,100}\)\s?|\[[0-9;]{1,8}m|\[[^\[\]]{1,60}\]:?\s"
    r"|(?:ERROR|WARNING|INFO|CRITICAL)\b:?\s|\d{2,4}-\d\d(?:-\d\d)?[ T][\d:.,]{5,20}\s)"
)
_FRAME: Final = re.compile(r'File "([^"]{1,300})", line (\d{1,7})(?:, in ([\w.<>]{1,120}))?')
_ERROR: Final = re.compile(
    r"[|\s]*((?:[A-Za-z_]\w{0,60}\.){0,8}(?:[A-Z]\w{0,60})?(?:Error|Exception|Interrupt|Failure))"
    r"(?:\([^)]{0,120}\))?(?::\s*(.{0,300})|\s*)$"
)
_LOW_ERROR: Final = re.compile(
    r"(?:terminate called|what\(\):|CUDA error|NCCL error|Segmentation fault|Fatal Python error"
    r"|core dumped|CUDA out of memory|AssertionError\b).{0,300}"
)
_SETTING: Final = re.compile(
    r"(?<![\w.=/-])(?:\+\+|[+~])?([A-Za-z_][\w-]{0,60}(?:\.[\w-]{1,60}){0,10})=([^\s`,;)\]}]{1,120})"
)
_FLAG: Final = re.compile(r"(?<![\w-])--([a-z][\w.-]{1,80})(?:[ =]([\w./][\w./:+-]{0,79}))?")
_PLAIN_VALUE: Final = re.compile(r"""["']?(?:[A-Za-z][\w.+-]{0,40}|-?\d[\d.e_-]{0,20})["']?$""")
_PINNED: Final = re.compile(r"(?:\[\w{1,12}\]\s*)?([A-Za-z][\w.-]{1,40})==(\d[\w.+!-]{0,40})")
_TOLD_VERSION: Final = re.compile(
    r"[\s*`-]*([A-Za-z][\w.-]{1,30})`?(?:\s+[Rr]untime|\s+[Dd]river)?(?:\s+[Vv]ersion)?\*{0,2}`?\s*"
    r"(?::|\s[vV](?=\d)|\s=\s)\s*`?[vV]?(\d{1,4}(?:\.\d{1,4}){1,3}[\w.+-]{0,30})"
)
_NO_SETTING: Final = frozenset({"pid", "ip", "rank", "actor_id", "repr", "file", "line"})
_FOLLOWERS: Final = ("RayTaskError", "RayActorError", "EngineDeadError", "ChildFailedError")
"""Errors that only report another's end."""
_SAME_PACKAGE: Final = {"pytorch": "torch", "vllm-ascend": "vllm_ascend"}
_NO_PACKAGE: Final = frozenset({"version", "line", "port", "ip", "time", "host", "model", "os"})

_BLANK_LINES: Final = re.compile(r"\n{3,}")
_CHECKBOX: Final = re.compile(r"\s*[-*] \[[ xX]\]")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s*(.{1,120}?)\s*#*$")
_ENVIRONMENT: Final = re.compile(
    r"collecting environment information|your output of .{0,40}collect_env|^\s*pytorch version\s*:"
    r"|^-+ ?python info|system info(?:rmation)?\s*=*$",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"\s*</?(?:details|summary|p|br|h\d)\b[^>]{0,80}>\s*", re.IGNORECASE)


class BodyFacts(Struct, frozen=True):
    """What a report quotes."""

    errors: tuple[str, ...]
    frames: tuple[Frame, ...]
    settings: tuple[str, ...]
    """``key=value``, options with their dashes."""
    versions: tuple[tuple[str, str], ...]


def read_body(body: str) -> BodyFacts:
    """The errors, frames, settings and versions in a body that is already plain and bounded."""
    errors: dict[str, None] = {}
    frames: deque[Frame] = deque(maxlen=FRAME_LIMIT)
    settings: dict[str, None] = {}
    versions: dict[str, str] = {}
    is_code = False
    for row in _rows(body):
        frame = _frame(row)
        if frame is not None:
            frames.append(frame)
        elif (error := _error(row)) is not None:
            _keep(errors, error, ERROR_LIMIT)
        elif not is_code:
            for package, version in _versions(row):
                if len(versions) < VERSION_LIMIT:
                    versions.setdefault(package, version)
            for setting in _settings(row):
                _keep(settings, setting, SETTING_LIMIT)
        is_code = frame is not None
    roots = [error for error in errors if not any(name in error for name in _FOLLOWERS)]
    return BodyFacts(
        tuple(roots or errors), tuple(frames), tuple(settings), tuple(versions.items())
    )


def prose(body: str, form_headings: Iterable[str]) -> str:
    """The body as a person wrote it: no comments, form headings, check boxes, environment dumps."""
    forms = {heading.strip().casefold() for heading in form_headings}
    rows = _without_environment(without_comments(body).split("\n"))
    lines = [row for row in rows if not _is_form(row, forms)]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines).strip())[:PROSE_LIMIT]


def headings(body: str) -> set[str]:
    """The headings of a body, in lower case."""
    found = (_HEADING.match(row[:200]) for row in body.split("\n"))
    return {match.group(1).casefold() for match in found if match}


def _rows(body: str) -> Iterator[str]:
    """Lines without the prefixes that loggers and process supervisors put before them."""
    for whole in body.split("\n"):
        row = whole[:_LINE_LIMIT]
        for _ in range(8):
            prefix = _PREFIX.match(row)
            if prefix is None:
                break
            row = row[prefix.end() :]
        if row.strip():
            yield row


def _frame(row: str) -> Frame | None:
    start = row.find('File "')
    found = _FRAME.match(row, start) if start >= 0 else None
    return Frame(found.group(1), found.group(3) or "", int(found.group(2))) if found else None


def _error(row: str) -> str | None:
    found = _ERROR.match(row)
    if found:
        return bounded_line(
            f"{found.group(1)}: {found.group(2)}".removesuffix(": None"), _ERROR_WIDTH
        )
    low = _LOW_ERROR.search(row)
    return bounded_line(low.group(), _ERROR_WIDTH) if low else None


def _versions(row: str) -> Iterator[tuple[str, str]]:
    for found in _PINNED.finditer(row):
        yield _package(found.group(1)), found.group(2)
    told = _TOLD_VERSION.match(row)
    if told and told.group(1).lower() not in _NO_PACKAGE:
        yield _package(told.group(1)), told.group(2)


def _package(name: str) -> str:
    low = name.lower()
    return _SAME_PACKAGE.get(low, low)


def _settings(row: str) -> Iterator[str]:
    for found in _SETTING.finditer(row):
        key, value = found.group(1), found.group(2).rstrip("\\").strip("\"'")
        if value in {"", key} or key in _NO_SETTING:
            continue
        if "." in key or "_" in key or (key.islower() and _PLAIN_VALUE.match(value)):
            yield f"{key}={value}"
    for found in _FLAG.finditer(row):
        value = found.group(2)
        if row[found.end() : found.end() + 1] != "=" or value:
            yield f"--{found.group(1)}={value}" if value else f"--{found.group(1)}"


def _keep(kept: dict[str, None], value: str, limit: int) -> None:
    if len(kept) < limit:
        kept[value] = None


def _without_environment(rows: Iterable[str]) -> Iterator[str]:
    """Rows outside environment dumps: from a dump's first line to its fence, heading or end."""
    is_inside = False
    for row in rows:
        if _ENVIRONMENT.search(row[:200]):
            is_inside = True
        elif is_inside and (row.startswith(("```", "#")) or "</details>" in row):
            is_inside = False
        if not is_inside:
            yield row


def _is_form(row: str, forms: set[str]) -> bool:
    """True for a row that the report form brought along."""
    heading = _HEADING.match(row[:200])
    if heading and heading.group(1).casefold() in forms:
        return True
    if _CHECKBOX.match(row) or row.strip() == "_No response_":
        return True
    return _MARKUP.fullmatch(row[:200]) is not None
