"""What shell scripts and Dockerfiles install of an upstream -> readings. Pure.

Understands ``NAME_COMMIT=…`` variables, ``git clone`` with a later ``git checkout``,
``pip install`` and ``FROM image:tag``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct, field

from watcher.facts.usage import Source
from watcher.pins.addresses import read_git_address
from watcher.pins.images import read_image
from watcher.pins.records import CheckoutAt, Reading, normalise, reading_of
from watcher.pins.requirements import read_requirement
from watcher.pins.shell import Command, parse_shell
from watcher.pins.versions import read_value

_REF_VARIABLE = re.compile(
    r"([A-Z0-9_]{1,60}?)_?(?:GIT_)?(?:COMMIT|SHA|REV|REVISION|REF|TAG|VERSION|BRANCH)"
    r"(?:_(?:ID|SHA|HASH|REF))?",
    re.IGNORECASE,
)
_WITH_VALUE = re.compile(
    "-r|--requirement|-c|--constraint|--index-url|-i|--find-links|-f|--target|-t|--prefix|--python"
    "|--index-strategy|--torch-backend|--trusted-host"
)
_GIT_WITH_VALUE = frozenset({"-b", "--branch", "--depth", "-C", "-c", "-o", "--origin", "-B"})


class _Clone(Struct):
    """A repository that the script clones, and what it checks out there."""

    address: str
    directory: str
    line: int
    ref: str | None


class _Walk(Struct):
    """Where a script stands while its commands are read."""

    path: str
    dists: Sequence[str]
    readings: list[Reading] = field(default_factory=list)
    clones: list[_Clone] = field(default_factory=list)
    directory: str = ""
    fetched: str | None = None


def parse_script(text: str, path: str, dists: Sequence[str]) -> list[Reading]:
    """Readings of a shell script or a Dockerfile.

    ``dists`` are the normalised names that variables and images are read for; git addresses and
    installs are told whatever they name.
    """
    script = parse_shell(text)
    walk = _Walk(path, dists)
    for line, name, value in script.assignments:
        _read_variable(name, value, Source(path, line), walk)
    for command in script.commands:
        _read_command(command, walk)
    walk.readings += [_read_clone(clone, path) for clone in walk.clones]
    return list(dict.fromkeys(walk.readings))


def _read_variable(name: str, value: str, where: Source, walk: _Walk) -> None:
    match = _REF_VARIABLE.fullmatch(name)
    dist = normalise(match[1]) if match else ""
    if dist in walk.dists and value and not value.startswith("$"):
        written = f"{name}={value}"
        reading = reading_of(read_value(value), dist=dist, where=where, written=written)
        walk.readings.append(reading)


def _read_command(command: Command, walk: _Walk) -> None:
    words = list(command.words)
    where = Source(walk.path, command.line)
    if words[0] == "FROM":
        image = next((word for word in words[1:] if not word.startswith("--")), "")
        walk.readings += read_image(image, where, walk.dists)
    elif words[0] in {"cd", "pushd", "WORKDIR"} and len(words) > 1:
        walk.directory = words[1].rstrip("/").rsplit("/", 1)[-1]
    elif words[0] == "git":
        _read_git(words[1:], command.line, walk)
    elif "install" in words or words[:2] == ["uv", "add"]:
        _read_install(words, where, walk)


def _read_git(words: list[str], line: int, walk: _Walk) -> None:
    directory = walk.directory
    while len(words) > 2 and words[0].startswith("-"):
        if words[0] == "-C":
            directory = words[1].rstrip("/").rsplit("/", 1)[-1]
        words = words[2:] if words[0] in _GIT_WITH_VALUE else words[1:]
    if not words:
        return
    arguments = _arguments(words[1:])
    if words[0] == "clone" and arguments:
        address = arguments[0]
        name = address.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")
        target = arguments[1].rstrip("/").rsplit("/", 1)[-1] if len(arguments) > 1 else name
        walk.clones.append(_Clone(address, target, line, _option(words, "-b", "--branch")))
    elif words[0] == "fetch" and len(arguments) > 1:
        walk.fetched = arguments[-1]
    elif words[0] in {"checkout", "switch", "reset"} and arguments and "--" not in words:
        clone = _clone_in(directory, walk.clones)
        ref = walk.fetched if arguments[-1] == "FETCH_HEAD" else arguments[-1]
        if clone is not None and ref is not None and ref != "HEAD":
            clone.ref, clone.line = ref, line


def _arguments(words: list[str]) -> list[str]:
    """Words that are no option and no option's value."""
    return [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and before not in _GIT_WITH_VALUE
    ]


def _option(words: list[str], *names: str) -> str | None:
    for before, word in zip(words, [*words[1:], ""], strict=True):
        if before in names:
            return word or None
        if before.startswith("--") and before.partition("=")[0] in names and "=" in before:
            return before.partition("=")[2]
    return None


def _clone_in(directory: str, clones: list[_Clone]) -> _Clone | None:
    """The clone that a checkout speaks of: the one whose directory it is in, else the last."""
    named = [clone for clone in clones if clone.directory == directory]
    candidates = named or clones
    return candidates[-1] if candidates else None


def _read_clone(clone: _Clone, path: str) -> Reading:
    return read_git_address(clone.address, Source(path, clone.line), ref=clone.ref)


def _read_install(words: list[str], where: Source, walk: _Walk) -> None:
    start = words.index("install") + 1 if "install" in words else 2
    for before, word in zip(words[start - 1 :], words[start:], strict=False):
        reading = read_requirement(_install_argument(before, word), where)
        if reading is not None and not isinstance(reading, CheckoutAt):
            walk.readings.append(reading)


def _install_argument(before: str, word: str) -> str:
    """The requirement that a word of ``pip install`` is, or an empty text."""
    if "$" in word or _WITH_VALUE.fullmatch(before):
        return ""
    if before == "--extra-index-url":
        return f"{before} {word}"
    return word if not word.startswith("-") or "=" in word else ""
