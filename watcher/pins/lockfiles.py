"""Lock files and ``pyproject.toml`` in, one reading per locked package out.

Knows uv.lock, poetry.lock, pdm.lock, pylock.toml, Pipfile.lock and pyproject.toml. Pure; raises
ConfigError for a file that is not valid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from watcher.errors import ConfigError
from watcher.facts import Source
from watcher.pins.addresses import read_archive_address, read_git_address
from watcher.pins.records import CheckoutAt, Reading, normalise, reading_of
from watcher.pins.requirements import read_requirement
from watcher.pins.versions import read_specifier, read_version
from watcher.settings.toml_text import load_toml

Entry = Mapping[str, object]


def parse_lock(text: str, path: str) -> list[Reading]:
    """Readings of a lock file or a ``pyproject.toml``. Raises ConfigError."""
    name = PurePosixPath(path).name
    data = _load(text, path, is_json=name == "Pipfile.lock")
    lines = _LineFinder(text, path)
    if name == "Pipfile.lock":
        entries = [*_pipfile_entries(data)]
    elif name == "pyproject.toml":
        return list(_project_readings(data, lines))
    else:
        entries = [*_entries(data.get("package")), *_entries(data.get("packages"))]
    readings = (_read_entry(entry, lines.source(_text(entry, "name"))) for entry in entries)
    return [reading for reading in readings if reading is not None]


def _load(text: str, path: str, *, is_json: bool) -> Entry:
    try:
        data: object = json.loads(text) if is_json else load_toml(text)
    except (ValueError, RecursionError) as error:
        what = " ".join(str(error).split())[:120] or "nested too deeply"
        raise ConfigError(f"not valid: {what}", where=path, mend="write the lock anew") from error
    return data if isinstance(data, dict) else {}


class _LineFinder:
    """Finds the line on which a package's name stands, in one pass over the text."""

    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._lines: dict[str, int] = {}
        pattern = re.compile(r"""^\s*(?:name\s*=\s*)?["']?([A-Za-z0-9][A-Za-z0-9._-]*)""")
        for number, line in enumerate(text.split("\n"), 1):
            if match := pattern.match(line[:300]):
                self._lines.setdefault(normalise(match[1]), number)

    def source(self, dist: str) -> Source:
        """Where a package is named first."""
        return Source(self._path, self._lines.get(normalise(dist)))


def _entries(value: object) -> list[Entry]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _pipfile_entries(data: Entry) -> Iterator[Entry]:
    for section in ("default", "develop"):
        for name, entry in _table(data, section).items():
            if isinstance(entry, dict):
                version = _text(entry, "version").removeprefix("==")
                yield {**entry, "name": name, "version": version}


def _read_entry(entry: Entry, where: Source) -> Reading | None:
    """One ``[[package]]`` of any of the known locks."""
    dist = _text(entry, "name")
    if not dist:
        return None
    source = _table(entry, "source") or _table(entry, "vcs") or _table(entry, "archive") or entry
    git = _git_of(source)
    if git:
        return read_git_address(git, where, dist=dist, ref=_commit_of(source, git))
    local = _text(source, "editable", "directory", "virtual", "path")
    if not local and _text(source, "type") in {"directory", "file"}:
        local = _text(source, "url")
    if local and not local.endswith((".whl", ".gz", ".zip")):
        return CheckoutAt(dist=normalise(dist), path=local, where=where)
    archive = _text(source, "url") if _text(source, "type") in {"", "url"} else ""
    if archive and (found := read_archive_address(archive, where, dist=dist)) is not None:
        return found
    version = _text(entry, "version")
    outcome = read_version(version) if version else read_specifier("")
    return reading_of(outcome, dist=dist, where=where, written=version or dist)


def _git_of(source: Entry) -> str:
    if "type" in source and _text(source, "type") != "git":
        return ""
    return _text(source, "git") or (_text(source, "url") if "type" in source else "")


def _commit_of(source: Entry, address: str) -> str | None:
    """The commit that a lock resolved, under whichever key its tool writes it."""
    commit = _text(source, "resolved_reference", "revision", "commit-id", "rev", "tag")
    if commit:
        return commit
    fragment = address.partition("#")[2]
    if re.fullmatch(r"[0-9a-f]{7,40}", fragment):
        return fragment
    branch = _text(source, "branch")
    return _text(source, "ref", "reference") or (f"refs/heads/{branch}" if branch else None)


def _project_readings(data: Entry, lines: _LineFinder) -> Iterator[Reading]:
    """Direct requirements of a ``pyproject.toml``, with the git sources of uv and poetry."""
    tool = _table(data, "tool")
    sources = _table(_table(tool, "uv"), "sources")
    for written in _requirements(data):
        dist = re.split(r"[\s\[=<>!~;@]", written.strip(), maxsplit=1)[0]
        reading = read_requirement(written, lines.source(dist))
        if reading is not None and dist not in sources:
            yield reading
    tables = [sources, _table(_table(tool, "poetry"), "dependencies")]
    for dist, entry in ((name, entry) for table in tables for name, entry in table.items()):
        if isinstance(entry, dict) and ({"git", "path", "url"} & entry.keys()):
            found = _read_entry({**entry, "name": dist}, lines.source(dist))
            if found is not None:
                yield found
        elif isinstance(entry, str):
            exact = f"=={entry}" if re.match(r"\d", entry) else entry
            where = lines.source(dist)
            yield reading_of(read_specifier(exact), dist=dist, where=where, written=entry)


def _requirements(data: Entry) -> list[str]:
    project = _table(data, "project")
    lists = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    lists += _table(data, "dependency-groups").values()
    return [
        item
        for group in lists
        if isinstance(group, list)
        for item in group
        if isinstance(item, str)
    ]


def _table(entry: Entry, key: str) -> Entry:
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def _text(entry: Entry, *keys: str) -> str:
    """The first of the keys that holds a text, else an empty text."""
    return next((value for key in keys if isinstance(value := entry.get(key), str) and value), "")
