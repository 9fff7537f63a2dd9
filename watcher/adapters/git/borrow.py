"""A local remote's objects, linked or copied as files: the way around one that lacks some.

No object is read, so none that is missing matters, and it takes a second where a transfer that
halves its way around the gaps takes minutes. The depth of the history is then cut by writing the
repository's list of shallow commits, as a shallow fetch would.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from watcher.adapters.git.lines import split_lines
from watcher.adapters.git.process import Git

_LOOSE: Final = re.compile(r"[0-9a-f]{2}/[0-9a-f]{38}")
_PACK: Final = re.compile(r"pack-[0-9a-f]{40}\.(pack|idx)")


def objects_of(address: str) -> Path | None:
    """The object store of a local remote that stands on its own, or None."""
    if not address.startswith("file://"):
        return None
    root = Path(unquote(urlsplit(address).path))
    for objects in (root / ".git" / "objects", root / "objects"):
        if (objects / "pack").is_dir() and not (objects / "info" / "alternates").exists():
            return objects
    return None


def borrow(git: Git, objects: Path, refs: Mapping[str, str], cutoff: int | None) -> int:
    """Take over the objects and set the refs; the bytes taken. Raises MirrorError, OSError."""
    size = sum(_take(objects / name, git.directory / "objects" / name) for name in _names(objects))
    shallow = git.directory / "shallow"
    shallow.unlink(missing_ok=True)
    if cutoff is not None:
        edge = _edge(git, list(refs.values()), cutoff)
        beside = git.directory / "shallow.new"
        beside.write_text("".join(f"{sha}\n" for sha in edge), encoding="ascii")
        beside.replace(shallow)
    orders = "".join(f"update {name} {sha}\n" for name, sha in refs.items())
    git.read(["update-ref", "--stdin"], stdin=orders.encode())
    return size


def _names(objects: Path) -> Iterator[str]:
    """Files that hold objects, every pack before its index."""
    packs = (path.name for path in (objects / "pack").iterdir() if _PACK.fullmatch(path.name))
    yield from (f"pack/{name}" for name in sorted(packs, key=lambda name: name.endswith(".idx")))
    for folder in objects.iterdir():
        if len(folder.name) == len("ab"):
            names = (f"{folder.name}/{path.name}" for path in folder.iterdir())
            yield from (name for name in names if _LOOSE.fullmatch(name))


def _take(source: Path, target: Path) -> int:
    """Link a file, or copy it where that cannot be; its size, or 0 when it is there already."""
    if target.exists():
        return 0
    target.parent.mkdir(exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        part = target.with_name(f"tmp_{target.name}")
        shutil.copyfile(source, part)
        part.replace(target)
    return target.stat().st_size


def _edge(git: Git, tips: list[str], cutoff: int) -> list[str]:
    """The commits since the cutoff that have an older parent: where the history is cut."""
    arguments = ["rev-list", "--parents", f"--max-age={cutoff}", "--stdin"]
    names = "".join(f"{tip}\n" for tip in tips).encode()
    parents = {
        line[:40]: line[41:].split() for line in split_lines(git.stream(arguments, stdin=names))
    }
    edge = [sha for sha, older in parents.items() if any(one not in parents for one in older)]
    return [sha.decode("ascii") for sha in edge]
