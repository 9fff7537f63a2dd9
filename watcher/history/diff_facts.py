"""The diff of a commit -> what it says: touched files, functions, names, strings, settings, guards.

Pure. Names, strings, settings and guards come from shipped files only, and from changed lines only:
the stream carries no context lines. Every list is capped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from watcher.facts.diff import DiffFacts, Guard, OriginRecord, Role, TouchedFile
from watcher.history.definitions import DEFINITION, PYTHON_SUFFIXES, FileDefinitions
from watcher.history.diff import CommitDiff, FileDiff, HunkDiff
from watcher.history.settings_read import guards_of, keys_of_yaml, keys_read
from watcher.history.tokens import Tokens

MOST_FILES: Final = 1_000
MOST_NAMES: Final = 800
MOST_STRINGS: Final = 200
MOST_KEYS: Final = 120
MOST_GUARDS: Final = 80
MOST_FUNCTIONS: Final = 60
"""Functions of one file."""
_ORDER: Final = {Role.SOURCE: 0, Role.CONFIG: 1, Role.BUILD: 2, Role.EXAMPLE: 3}
"""The roles that are read, the most telling first."""
_YAML_SUFFIXES: Final = (".yaml", ".yml")
_C_FUNCTION = re.compile(r"([A-Za-z_~][\w:~]{0,120})\s{0,3}\(")
_C_TYPE = re.compile(r"\b(?:class|struct|namespace|enum|union)\s{1,3}([A-Za-z_]\w{0,120})")
_NOT_FUNCTIONS: Final = frozenset(
    {"if", "for", "while", "switch", "return", "sizeof", "defined", "catch", "TORCH_CHECK"}
)


class DiffText(Struct, frozen=True):
    """All of a diff that its facts are read from: little enough to be handed to another process."""

    files: tuple[TouchedFile, ...]
    changed: tuple[tuple[bool, str], ...]
    """(is YAML, changed lines) of each file that is read, the most telling first."""
    origins: OriginRecord | None = None


def diff_text(
    diff: CommitDiff,
    functions: Mapping[str, tuple[str, ...]] | None = None,
    origins: OriginRecord | None = None,
) -> DiffText:
    """What to read of one commit.

    ``functions`` are the enclosing functions by path as line lineage knows them; a file that is not
    in it (another language, a commit off the tracked line) takes them from its hunk headers.
    """
    known = functions or {}
    return DiffText(
        files=tuple([_touched(file, known) for file in diff.files[:MOST_FILES]]),
        changed=tuple(
            [
                (file.path.endswith(_YAML_SUFFIXES), _changed_lines(file))
                for file in _most_telling_first(diff.files)
            ]
        ),
        origins=origins,
    )


def facts_of_text(text: DiffText) -> DiffFacts:
    """Facts of one commit."""
    tokens = Tokens(names=MOST_NAMES, strings=MOST_STRINGS)
    keys: dict[str, None] = {}
    guards: dict[Guard, None] = {}
    for is_yaml, lines in text.changed:
        tokens.gather(lines)
        _gather_settings(lines, keys, guards, is_yaml=is_yaml)
    return DiffFacts(
        files=text.files,
        identifiers=tokens.sorted_names(),
        strings=tuple(tokens.strings),
        config_keys=tuple(keys),
        guards=tuple(guards),
        origins=text.origins,
    )


def diff_facts(
    diff: CommitDiff,
    functions: Mapping[str, tuple[str, ...]] | None = None,
    origins: OriginRecord | None = None,
) -> DiffFacts:
    """Facts of one commit, read at once (see ``diff_text``)."""
    return facts_of_text(diff_text(diff, functions, origins))


def _most_telling_first(files: Iterable[FileDiff]) -> list[FileDiff]:
    """The files that are read, source before configuration before the rest, so that a cap cuts the
    least.
    """
    return sorted((file for file in files if file.role in _ORDER), key=lambda f: _ORDER[f.role])


def _changed_lines(file: FileDiff) -> str:
    return "\n".join([line for hunk in file.hunks for line in hunk.removed + hunk.added])


def _gather_settings(
    lines: str, keys: dict[str, None], guards: dict[Guard, None], *, is_yaml: bool
) -> None:
    for key in keys_of_yaml(lines) if is_yaml else keys_read(lines):
        if len(keys) >= MOST_KEYS:
            break
        if key:
            keys[key] = None
    for guard in () if is_yaml else guards_of(lines):
        if len(guards) >= MOST_GUARDS:
            break
        guards[guard] = None


def _touched(file: FileDiff, known: Mapping[str, tuple[str, ...]]) -> TouchedFile:
    functions = known.get(file.path)
    if functions is None:
        functions = functions_of_headers(file)
    return TouchedFile(
        path=file.path,
        role=file.role,
        status=file.status,
        old_path=file.old_path if file.old_path != file.path else None,
        added=file.added,
        removed=file.removed,
        functions=functions[:MOST_FUNCTIONS],
        omitted=file.omitted,
    )


def functions_in_order(
    file: FileDiff, before: FileDefinitions, after: FileDefinitions
) -> tuple[str, ...]:
    """Functions that hold the changed lines of a Python file, in order of appearance, from its
    tables before and after the change.
    """
    if file.is_new:
        return tuple(map(after.qualified, range(len(after.names))))[:MOST_FUNCTIONS]
    found: dict[str, None] = {}
    for hunk in file.hunks:
        for name in before.names_of(hunk.old_start, hunk.removed):
            found[name] = None
        for name in after.names_of(hunk.new_start, hunk.added):
            found[name] = None
        if len(found) >= MOST_FUNCTIONS:
            break
    return tuple(found)[:MOST_FUNCTIONS]


def functions_of_headers(file: FileDiff) -> tuple[str, ...]:
    """Functions as far as the hunk headers and the changed lines themselves tell."""
    found: dict[str, None] = {}
    is_python = file.path.endswith(PYTHON_SUFFIXES)
    for hunk in file.hunks[:200]:
        name = _name_of_header(hunk, is_python=is_python)
        if name:
            found[name] = None
        if is_python:
            for text in (*hunk.removed, *hunk.added):
                defined = DEFINITION.match(text)
                if defined is not None:
                    found[defined[2]] = None
    return tuple(found)[:MOST_FUNCTIONS]


def _name_of_header(hunk: HunkDiff, *, is_python: bool) -> str:
    header = hunk.header
    if not header:
        return ""
    if is_python:
        defined = DEFINITION.match(header)
        return defined[2] if defined is not None else ""
    for name in _C_FUNCTION.findall(header):
        if name not in _NOT_FUNCTIONS:
            return str(name)
    named = _C_TYPE.search(header)
    return named[1] if named is not None else ""
