"""Lock files and ``pyproject.toml`` in, one reading per locked package out.

Knows uv.lock, poetry.lock, pdm.lock, pylock.toml, Pipfile.lock and pyproject.toml. Pure; raises
ConfigError for a file that is not valid.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from watcher.facts.usage import Source
from watcher.pins.addresses import read_archive_address, read_git_address
from watcher.pins.lock_text import Entry, LineFinder, load_document, only_packages
from watcher.pins.records import CheckoutAt, Reading, normalise, reading_of
from watcher.pins.requirements import read_requirement
from watcher.pins.versions import read_specifier, read_version


def parse_lock(text: str, path: str, dists: Collection[str] = ()) -> list[Reading]:
    """Readings of a lock file or a ``pyproject.toml``.

    With ``dists`` (normalised names) only packages that mention one of them are sure to be read.
    Raises ConfigError.
    """
    text = only_packages(text, dists)
    data, lines = load_document(text, path), LineFinder(text, path)
    name = PurePosixPath(path).name
    if name == "pyproject.toml":
        return list(_project_readings(data, lines))
    if name == "Pipfile.lock":
        entries = [*_pipfile_entries(data)]
    else:
        entries = [*_entries(data.get("package")), *_entries(data.get("packages"))]
    readings = (_read_entry(entry, lines.source(_text(entry, "name"))) for entry in entries)
    return [reading for reading in readings if reading is not None]


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


def _project_readings(data: Entry, lines: LineFinder) -> Iterator[Reading]:
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
