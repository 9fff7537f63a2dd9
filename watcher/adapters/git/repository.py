"""Small questions to, and care of, the mirror's repository: refs, ancestry, left-over files."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Final

from watcher.adapters.git.process import Git

MOST_PACKS: Final = 40
"""Packs (one for each fetch) above which they are joined."""


def shallow_commits(directory: Path) -> frozenset[str]:
    """The commits at the boundary of a shallow history: their parents are not there."""
    try:
        text = (directory / "shallow").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(text.split())


def clear_leftovers(directory: Path) -> None:
    """Remove what a killed git left behind. Only under the mirror's lock."""
    for pattern in ("*.lock", "refs/**/*.lock", "objects/info/*.lock"):
        for lock in directory.glob(pattern):
            lock.unlink(missing_ok=True)
    for pattern in ("objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/tmp_obj_*"):
        for part in directory.glob(pattern):
            part.unlink(missing_ok=True)
    for pattern in ("survey-*", "objects/incoming-*", "objects/tmp_objdir-*"):
        for folder in directory.glob(pattern):
            shutil.rmtree(folder, ignore_errors=True)


def prune(git: Git, kept: Collection[str], branch: str) -> None:
    """Remove all other refs, before a new name can collide with an old one."""
    names = git.read(["for-each-ref", "--format=%(refname)"]).decode("utf-8", "surrogateescape")
    gone = [name for name in names.splitlines() if name not in kept]
    if gone:
        orders = "".join(f"delete {name}\n" for name in gone)
        git.read(["update-ref", "--stdin"], stdin=orders.encode("utf-8", "surrogateescape"))
    head = git.directory / "HEAD"
    text = f"ref: refs/heads/{branch}\n"
    if head.read_text(encoding="utf-8", errors="replace") != text:
        head.write_text(text, encoding="utf-8")


def commits_of_refs(git: Git) -> dict[str, str]:
    """Every ref of the mirror and its commit, annotated tags followed."""
    shape = "%(refname)%00%(objectname)%00%(*objectname)"
    refs: dict[str, str] = {}
    for line in git.read(["for-each-ref", f"--format={shape}"]).decode("utf-8").splitlines():
        name, sha, peeled = line.split("\0")
        refs[name] = peeled or sha
    return refs


def merge_base(git: Git, one: str, other: str) -> str | None:
    """Best common ancestor of two commits, or None."""
    outcome = git.run(["merge-base", "--end-of-options", one, other])
    return outcome.output.decode("ascii").strip() or None if outcome.is_good else None


def find_base(git: Git, head: str) -> str | None:
    """The first-parent commit at which the held history starts; None when it starts at a root."""
    arguments = ["rev-list", "--first-parent", "--max-parents=0", head, "--"]
    oldest = git.read(arguments).decode("ascii").split()
    boundary = shallow_commits(git.directory)
    return oldest[-1] if oldest and oldest[-1] in boundary else None


def commits_named(git: Git, short: str) -> list[str]:
    """All commits whose name starts with the given hexadecimal digits."""
    listed = git.run(["rev-parse", f"--disambiguate={short}"])
    if not listed.is_good:
        return []
    names = listed.output.decode("ascii").split()
    checked = git.read(
        ["cat-file", "--batch-check"], stdin="".join(f"{n}\n" for n in names).encode()
    )
    rows = (line.split() for line in checked.decode("ascii", "replace").splitlines())
    return [row[0] for row in rows if len(row) == 3 and row[1] == "commit"]


def join_packs(git: Git) -> None:
    """Join the packs of many small fetches. Not needed for anything to work."""
    if len(list((git.directory / "objects" / "pack").glob("*.pack"))) > MOST_PACKS:
        git.run(["repack", "--geometric=2", "-d", "-q"], seconds=600)
