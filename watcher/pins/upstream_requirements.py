"""What an upstream itself requires, by the files of its tree -> requirements with their comments.

Pure. ``pyproject.toml``, ``setup.py`` (its lists; it is never run), ``setup.cfg`` and requirement
files; what cannot be read is left out.
"""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from watcher.pins.requirements import logical_lines

LARGEST_TEXT: Final = 400_000
_FILE: Final = re.compile(
    r"(?:pyproject\.toml|setup\.py|setup\.cfg"
    r"|requirements[\w.-]{0,60}\.(?:txt|in)|requirements/[\w.-]{1,60}\.(?:txt|in))\Z"
)
_COMMENT: Final = re.compile(r"(?:^|\s)#[ \t]*(.{0,400})")
_MOST_REQUIREMENTS: Final = 2_000
_MOST_NODES: Final = 5_000
_MACHINE: Final[dict[str, str]] = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "os_name": "posix",
    "python_version": "3.12",
    "python_full_version": "3.12.0",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "platform_release": "",
    "platform_version": "",
    "implementation_version": "3.12.0",
    "extra": "",
}
"""Where training runs: what a requirement for another platform asks for does not count."""


class UpstreamRequirement(Struct, frozen=True, kw_only=True):
    """One requirement as an upstream writes it."""

    package: str
    """Normalised name."""
    specifier: str
    """PEP 440 specifier; empty when every version will do."""
    extra: str | None = None
    """Extra, or the word of the requirement file (``cuda`` of ``requirements/cuda.txt``); None for
    what is always required.
    """
    comment: str = ""
    """The author's comment beside or right above it."""
    path: str
    line: int
    """Counted from 1; 0 when not known."""


def is_requirement_file(path: str) -> bool:
    """True for a path of a tree that may hold requirements."""
    return _FILE.match(path) is not None


def parse_upstream_requirements(texts: Mapping[str, str]) -> tuple[UpstreamRequirement, ...]:
    """Requirements of all files given as path -> text, in order of the paths."""
    found: list[UpstreamRequirement] = []
    for path in sorted(texts):
        text = texts[path][:LARGEST_TEXT]
        for written, extra, line in _rows(path, text):
            one = _requirement(written, extra, path, line, text)
            if one is not None and len(found) < _MOST_REQUIREMENTS:
                found.append(one)
    return tuple(found)


_Row = tuple[str, str | None, int]


def _rows(path: str, text: str) -> Iterator[_Row]:
    if path == "pyproject.toml":
        return _pyproject_rows(text)
    if path == "setup.py":
        return _setup_rows(text)
    if path == "setup.cfg":
        return _config_rows(text)
    return _file_rows(path, text)


def _requirement(
    written: str, extra: str | None, path: str, line: int, text: str
) -> UpstreamRequirement | None:
    try:
        parsed = Requirement(written)
    except (InvalidRequirement, RecursionError):
        return None
    if parsed.marker is not None and not _holds(parsed.marker):
        return None
    return UpstreamRequirement(
        package=canonicalize_name(parsed.name),
        specifier=str(parsed.specifier),
        extra=extra,
        comment=_comment_of(text.splitlines(), line),
        path=path,
        line=line,
    )


def _holds(marker: Marker) -> bool:
    try:
        return marker.evaluate(_MACHINE)
    except Exception:  # noqa: BLE001  markers of strangers fail in ways packaging does not name
        return True


# --- pyproject.toml, setup.cfg, requirement files ---


def _pyproject_rows(text: str) -> Iterator[_Row]:
    try:
        project = tomllib.loads(text).get("project")
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    if not isinstance(project, dict):
        return
    lines = text.splitlines()
    for written in _texts(project.get("dependencies")):
        yield written, None, _line_with(lines, written)
    extras = project.get("optional-dependencies")
    for extra, listed in extras.items() if isinstance(extras, dict) else ():
        start = _start_of(lines, str(extra))
        for written in _texts(listed):
            yield written, str(extra), _line_with(lines, written, after=start)


def _config_rows(text: str) -> Iterator[_Row]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, RecursionError):
        return
    lines = text.splitlines()
    listed: list[tuple[str | None, str]] = []
    if parser.has_option("options", "install_requires"):
        listed.append((None, parser.get("options", "install_requires")))
    if parser.has_section("options.extras_require"):
        listed += [(extra, value) for extra, value in parser.items("options.extras_require")]
    for extra, value in listed:
        for line in value.splitlines():
            written = line.split("#")[0].strip()
            if written:
                yield written, extra, _line_with(lines, written)


def _file_rows(path: str, text: str) -> Iterator[_Row]:
    word = re.sub(r"\Arequirements[/_.-]?", "", path.rpartition(".")[0])
    extra = None if word in {"", "common", "base"} else word
    for number, line in logical_lines(text):
        written = re.split(r"(?:^|\s)#", line)[0].strip()
        if written and not written.startswith("-"):
            yield re.split(r"\s--(?:hash|config)", written)[0], extra, number


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _start_of(lines: Sequence[str], key: str) -> int:
    """Number of the line that gives a key its value; 0 for none."""
    starts = (number for number, line in enumerate(lines, 1) if _key_of(line) == key)
    return next(starts, 0)


def _key_of(line: str) -> str:
    """The key of a line ``key = [``, quotes left out; empty for other lines."""
    key, sign, _ = line[:200].partition("=")
    return key.strip().strip("\"'") if sign else ""


def _line_with(lines: Sequence[str], word: str, *, after: int = 0) -> int:
    """Number of the first line at or after one that holds a word; 0 for none."""
    start = max(0, after - 1)
    found = (number for number, line in enumerate(lines[start:], start + 1) if word in line)
    return next(found, 0)


def _comment_of(lines: Sequence[str], line: int) -> str:
    """The comment on a line, else the block of comment lines right above it."""
    if not 1 <= line <= len(lines):
        return ""
    beside = _COMMENT.search(lines[line - 1][:4_000])
    if beside is not None:
        return beside[1].strip()
    block: list[str] = []
    for above in reversed(lines[max(0, line - 6) : line - 1]):
        if not above.strip().startswith("#"):
            break
        block.append(above.strip().lstrip("# ")[:400])
    return " ".join(reversed(block)).strip()


# --- setup.py ---


def _setup_rows(text: str) -> Iterator[_Row]:
    """Lists given to ``setup(install_requires=…, extras_require=…)``, names looked up."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = dict(_assigned(tree.body))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _name_of(call.func) == "setup":
            for keyword in call.keywords:
                if keyword.arg == "install_requires":
                    yield from _listed(keyword.value, None, names)
                elif keyword.arg == "extras_require":
                    yield from _extras(keyword.value, names)


def _assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            yield _name_of(statement.targets[0]), statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield _name_of(statement.target), statement.value


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _extras(node: ast.expr, names: Mapping[str, ast.expr]) -> Iterator[_Row]:
    node = _known(node, names)
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield from _listed(value, key.value, names)


def _listed(node: ast.expr, extra: str | None, names: Mapping[str, ast.expr]) -> Iterator[_Row]:
    """Texts of a list, of a sum of lists, or of a name that stands for one."""
    waiting = [node]
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        one = _known(waiting.pop(), names)
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value, extra, one.end_lineno or one.lineno
        elif isinstance(one, ast.List | ast.Tuple):
            waiting.extend(reversed(one.elts))
        elif isinstance(one, ast.Starred):
            waiting.append(one.value)
        elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
            waiting.extend((one.right, one.left))


def _known(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """What a name stands for; itself for anything else."""
    for _ in range(5):
        if not isinstance(node, ast.Name) or node.id not in names:
            break
        node = names[node.id]
    return node
