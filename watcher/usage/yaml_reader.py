"""A YAML file to settings with their lines; a Hydra defaults list is followed through given files.

Pure; no I/O. Overrides and commands inside a value (the ``args`` of a job description) are read as
in a launch script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.usage import Source
from watcher.usage.given import GivenSetting, Reading, join_readings, parse_override
from watcher.usage.launch import read_launch_script
from watcher.usage.yaml_nodes import Items, NotYamlError, Scalar, Table, Tree, parse_yaml

_MAX_INCLUDED: Final = 200
_MAX_INCLUDE_DEPTH: Final = 10
_GLOBAL_PACKAGE: Final = re.compile(r"^[ \t]*#[ \t]*@package[ \t]+_global_[ \t]*$", re.MULTILINE)
_RUNS: Final = re.compile(r"(?:^|\s)(?:-m|torchrun|serve|python[\d.]*)\s")
_SUFFIXES: Final = ("", ".yaml", ".yml")


class DefaultsEntry(Struct, frozen=True):
    """One item of a Hydra defaults list."""

    group: str
    """Group path; empty for a plain config name."""
    option: str
    package: str | None
    """Dotted place given by ``@``; None for the group's own."""
    line: int


def read_yaml(
    text: str, path: str, files: Mapping[str, str], console_scripts: Mapping[str, str]
) -> Reading:
    """What a YAML file and the files of its defaults list say, in the order in which they count.

    ``files``: the user's other files by path. Members that are not among them are told as settings
    of the key ``defaults``, so that the upstream's own configuration can be chosen by them.
    """
    return _Composer(files, console_scripts).read(text, path, depth=0)


class _Composer(Struct):
    files: Mapping[str, str]
    console_scripts: Mapping[str, str]
    included: int = 0

    def read(self, text: str, path: str, *, depth: int) -> Reading:
        try:
            root = parse_yaml(text)
        except NotYamlError as error:
            return Reading(not_understood=((Source(path), str(error)),))
        if isinstance(root, Items):
            return _overrides(root, path)
        if not isinstance(root, Table):
            return Reading()
        before: list[Reading] = []
        after: list[Reading] = []
        target = before
        for entry in _defaults(root) if depth < _MAX_INCLUDE_DEPTH else ():
            if entry.option == "_self_":
                target = after
            else:
                target.append(self._member(entry, path, depth))
        return join_readings([*before, self._own(root, path), *after])

    def _own(self, root: Table, path: str) -> Reading:
        settings = tuple(
            GivenSetting(key, _text(tree), Source(path, tree.line))
            for key, tree in leaves(root)
            if key != "defaults"
        )
        embedded = [self._embedded(item) for item in settings if " " in item.value]
        return join_readings([Reading(settings=settings), *embedded])

    def _embedded(self, setting: GivenSetting) -> Reading:
        path, line = setting.source.path, setting.source.line or 1
        if _RUNS.search(setting.value):
            text = "\n" * (line - 1) + setting.value
            return read_launch_script(text, path, self.console_scripts)
        words = setting.value.strip("[]").split(", ")
        found = [parse_override(word, setting.source) for word in words]
        return Reading(settings=tuple(item for item in found if item and "." in item.key))

    def _member(self, entry: DefaultsEntry, path: str, depth: int) -> Reading:
        self.included += 1
        found = self._find(entry, path) if self.included <= _MAX_INCLUDED else None
        if found is None:
            name = f"{entry.group}={entry.option}" if entry.group else entry.option
            return Reading(settings=(GivenSetting("defaults", name, Source(path, entry.line)),))
        member_path, text = found
        reading = self.read(text, member_path, depth=depth + 1)
        package = entry.group.replace("/", ".") if entry.package is None else entry.package
        if _GLOBAL_PACKAGE.search(text[:2000]) or package in {"", "_global_"}:
            return reading
        placed = tuple(replace(item, key=f"{package}.{item.key}") for item in reading.settings)
        return replace(reading, settings=placed)

    def _find(self, entry: DefaultsEntry, path: str) -> tuple[str, str] | None:
        base = PurePosixPath(path).parent
        for suffix in _SUFFIXES:
            candidate = str(base / entry.group / f"{entry.option}{suffix}")
            if candidate in self.files and candidate != path:
                return candidate, self.files[candidate]
        return None


def _overrides(items: Items, path: str) -> Reading:
    """A list of ``key=value`` strings, as Hydra keeps them beside a run."""
    found = (
        parse_override(item.text, Source(path, item.line))
        for item in items.values
        if isinstance(item, Scalar)
    )
    return Reading(settings=tuple(item for item in found if item))


def leaves(tree: Tree, prefix: str = "") -> Iterator[tuple[str, Tree]]:
    """(dotted key, value) of everything in a tree that is no mapping."""
    if isinstance(tree, Table):
        for key, value in tree.pairs:
            yield from leaves(value, f"{prefix}.{key.text}" if prefix else key.text)
    elif prefix:
        yield prefix, tree


def _text(tree: Tree) -> str:
    """A scalar as written; a sequence of scalars in brackets."""
    if isinstance(tree, Scalar):
        return tree.text
    if isinstance(tree, Items):
        scalars = [item.text for item in tree.values[:200] if isinstance(item, Scalar)]
        return f"[{', '.join(scalars)}]"[:20_000]
    return "{}"


def _defaults(root: Table) -> Iterator[DefaultsEntry]:
    for key, value in root.pairs:
        if key.text != "defaults" or not isinstance(value, Items):
            continue
        for item in value.values[:_MAX_INCLUDED]:
            if isinstance(item, Scalar):
                yield DefaultsEntry("", item.text, None, item.line)
            elif isinstance(item, Table):
                for group, option in item.pairs:
                    yield from _entries(group, option)


def _entries(group: Scalar, options: Tree) -> Iterator[DefaultsEntry]:
    head = group.text.removeprefix("optional ").removeprefix("override ")
    name, _, package = head.partition("@")
    for option in options.values if isinstance(options, Items) else (options,):
        if isinstance(option, Scalar) and option.text not in {"null", "~", ""}:
            yield DefaultsEntry(name.strip("/ "), option.text, package or None, group.line)
