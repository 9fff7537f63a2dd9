"""Requirement files, ``pip freeze``, conda environments, single requirements -> readings. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from watcher.facts.usage import Source
from watcher.pins.addresses import local_path, read_archive_address, read_git_address
from watcher.pins.records import CheckoutAt, Reading, normalise, reading_of
from watcher.pins.versions import read_specifier

MAX_LINES: Final = 50_000
MAX_LINE: Final = 4_000

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*+"
_DIRECT = re.compile(rf"(?:({_NAME})\s*(?:\[[^\]]*\])?\s*@\s*)?(\S+)")
_PLAIN = re.compile(rf"({_NAME})\s*(?:\[[^\]]*\])?\s*\(?([^)]*)\)?")
_INDEX = re.compile(r"(?:--(?:extra-)?index-url|--find-links|-f|-i)[\s=]+(\S+)")
_CONDA = re.compile(rf"({_NAME})\s*=\s*([A-Za-z0-9.!+_-]+)(?:=([^=]+))?")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_PATH = re.compile(r"(?:\.{0,2}/|\.$|\.\[|[A-Za-z]:\\|file:)")


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) with backslash continuations joined, bounded in count and length."""
    start, pending = 0, ""
    for number, line in enumerate(text.split("\n")[:MAX_LINES], 1):
        start = start or number
        stripped = line.rstrip("\r ")
        if stripped.endswith("\\") and len(pending) < MAX_LINE:
            pending += stripped[:-1] + " "
            continue
        yield start, (pending + stripped)[:MAX_LINE]
        start, pending = 0, ""
    if pending:
        yield start, pending[:MAX_LINE]


def parse_requirements(text: str, path: str) -> list[Reading]:
    """Readings of a requirement file (also constraints, ``pip freeze``, conda environments)."""
    is_conda = path.endswith((".yml", ".yaml"))
    readings: list[Reading] = []
    for number, line in logical_lines(text):
        where = Source(path, number)
        body = _COMMENT.sub("", line).strip()
        if is_conda:
            if not body.startswith("- "):
                continue
            body = body[2:].strip().strip("'\"")
        reading = (_read_conda(body, where) if is_conda else None) or read_requirement(body, where)
        if reading is not None:
            readings.append(reading)
    return readings


def included_files(text: str) -> list[str]:
    """Paths named by ``-r`` and ``-c`` lines."""
    lines = (re.match(r"(?:-r|-c|--requirement|--constraint)[\s=]*(\S+)", line.strip()[:MAX_LINE])
             for _, line in logical_lines(text))  # fmt: skip
    return [match[1] for match in lines if match]


def read_requirement(written: str, where: Source) -> Reading | None:
    """The reading of one requirement, or None when it is none."""
    text = " ".join(written[:MAX_LINE].split())
    text = re.sub(r"^(?:-e|--editable)[\s=]+", "", text).strip("'\"")
    if index := _INDEX.match(text):
        return read_archive_address(index[1], where)
    if not text or text.startswith("-"):
        return None
    text = re.split(r"\s--(?:hash|config)", text)[0].strip()
    if "://" in text.split(";")[0] or text.startswith("git+"):
        return _read_direct(re.split(r"\s;", text)[0].strip(), where)
    text = text.split(";")[0].strip()
    named = _DIRECT.fullmatch(text)
    if named and named[1] is None and _PATH.match(text):
        return CheckoutAt(dist="", path=re.sub(r"\[.*", "", text), where=where)
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    return reading_of(read_specifier(match[2]), dist=match[1], where=where, written=text)


def _read_direct(text: str, where: Source) -> Reading | None:
    match = _DIRECT.fullmatch(text)
    if match is None:
        return None
    dist, address = match[1] or "", match[2]
    if address.startswith("git+"):
        return read_git_address(address, where, dist=dist)
    if address.startswith("file://"):
        return CheckoutAt(dist=normalise(dist), path=local_path(address), where=where)
    return read_archive_address(address, where, dist=dist)


def _read_conda(text: str, where: Source) -> Reading | None:
    match = _CONDA.fullmatch(text)
    if match is None:
        return None
    exact = f"=={match[2]}" if match[3] else f"=={match[2]}.*"
    return reading_of(read_specifier(exact), dist=match[1], where=where, written=text)
