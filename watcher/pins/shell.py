"""Shell scripts and Dockerfiles in, simple commands with their variables put in, out. Pure.

Reads what is plainly written; it runs nothing and follows no condition.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from msgspec import Struct, field

from watcher.pins.requirements import logical_lines

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,80})=(.*)", re.DOTALL)
_VARIABLE = re.compile(
    r"\$(?:([A-Za-z_][A-Za-z0-9_]{0,80})|\{([A-Za-z_][A-Za-z0-9_]{0,80})(?::?-([^{}$]{0,300}))?\})"
)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_KEYWORDS = frozenset(
    {"export", "local", "readonly", "declare", "then", "do", "else", "sudo", "RUN"}
)
_TELLING = re.compile(
    r"\b(?:git|install|cd|pushd|uv)\s|^[ \t]*(?:FROM|WORKDIR|ARG|ENV)\s"
    r"|(?:^|[\s;&|])[A-Za-z_]\w{0,80}=",
    re.MULTILINE,
)
"""Lines worth splitting into words: the others install nothing and set nothing."""
_BUILD_FLAG = re.compile(r"^(?:ONBUILD\s+)?(?:RUN|CMD)\s+(?:--\S+\s+)*")


class Command(Struct, frozen=True):
    """One simple command."""

    line: int
    words: tuple[str, ...]
    """Variables put in where the file sets them; others stand as written."""


class Script(Struct):
    """What a script sets and runs, in order."""

    assignments: list[tuple[int, str, str]] = field(default_factory=list)
    """(line, name, value)."""
    commands: list[Command] = field(default_factory=list)


def parse_shell(text: str) -> Script:
    """Assignments and commands of a shell script or Dockerfile."""
    script, known = Script(), dict[str, str]()
    for number, line in logical_lines(text):
        if not _TELLING.search(line) or line.lstrip().startswith("#"):
            continue
        for words in _commands(_BUILD_FLAG.sub("", line.strip())):
            command = _take_assignments(words, number, script, known)
            if command:
                script.commands.append(Command(number, tuple(command)))
    return script


def _commands(line: str) -> Iterator[list[str]]:
    for part in _SEPARATOR.split(line):
        try:
            yield shlex.split(part, comments=True)
        except ValueError:
            yield part.replace('"', " ").replace("'", " ").split()


def _take_assignments(
    words: list[str], number: int, script: Script, known: dict[str, str]
) -> list[str]:
    """Note leading assignments; the rest of the words, with variables put in."""
    words = _dockerfile_pairs(words)
    rest = list(words)
    while rest:
        match = _ASSIGNMENT.fullmatch(rest[0])
        if match:
            value = _expand(match[2], known)
            known[match[1]] = value
            script.assignments.append((number, match[1], value))
        elif rest[0] not in _KEYWORDS and rest[0] not in {"ARG", "ENV"}:
            break
        rest = rest[1:]
    return [_expand(word, known) for word in rest]


def _dockerfile_pairs(words: list[str]) -> list[str]:
    """``ENV NAME value`` as ``ENV NAME=value``."""
    if len(words) >= 3 and words[0] == "ENV" and "=" not in words[1]:
        return ["ENV", f"{words[1]}={' '.join(words[2:])}"]
    return words


def _expand(text: str, known: dict[str, str]) -> str:
    """Variables that the file sets, and defaults, put in; one pass, so it always ends."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if known.get(name):
            return known[name]
        return match[0] if match[3] is None else match[3]

    return _VARIABLE.sub(value, text)[:4000]
