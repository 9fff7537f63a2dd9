"""Trial cherry-picks on the mirror's objects; what they make goes to a directory thrown away.

``git merge-tree --write-tree`` merges two commits over their merge base. To pick a commit P, three
commits are made up: a base with the tree of P's parent, and on it "ours" with the tree to pick
onto and "theirs" with P's tree. They are written as loose objects, so no process is needed.
"""

from __future__ import annotations

import hashlib
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.adapters.git.failures import explain
from watcher.adapters.git.patches import read_tree_diff
from watcher.adapters.git.process import EMPTY_TREE, Git
from watcher.adapters.git.repository import shallow_commits
from watcher.errors import MirrorError, RangeError
from watcher.ports.mirror import PickResult

_PERSON: Final = "watcher <watcher@localhost> 0 +0000"
_OLDEST_GIT: Final = "trial picks need git 2.38 or newer"


def try_pick(git: Git, onto: str, picks: Sequence[str]) -> PickResult:
    """Apply commits in order onto a commit. Raises RangeError for a commit that is not held."""
    with _picked(git, onto, picks) as made:
        if made.conflicts:
            at = picks[made.count]
            return PickResult(is_clean=False, conflicts=made.conflicts, stopped_at=at)
        return PickResult(is_clean=True, is_empty=made.tree == made.start, tree=made.tree)


def picked_patch(git: Git, onto: str, picks: Sequence[str], paths: Sequence[str]) -> bytes | None:
    """What the picks change of the commit, as one diff of the given paths (all when there are
    none); None when they conflict. Raises RangeError for a commit that is not held.
    """
    with _picked(git, onto, picks) as made:
        if made.conflicts:
            return None
        return b"".join(read_tree_diff(made.git, made.start, made.tree, paths))


class _Made(Struct, frozen=True):
    """What picks made, as long as their scratch objects are there."""

    git: Git
    """Sees the scratch objects."""
    start: str
    """Tree before the first pick."""
    tree: str
    """Tree after the last clean one."""
    count: int
    """Clean picks."""
    conflicts: tuple[str, ...]
    """Of the pick after these."""


@contextmanager
def _picked(git: Git, onto: str, picks: Sequence[str]) -> Iterator[_Made]:
    """Pick in order until one conflicts."""
    start, pairs = _trees(git, onto, picks)
    with tempfile.TemporaryDirectory(prefix="watcher-pick-") as scratch:
        writer = _in_scratch(git, Path(scratch))
        tree = start
        for count, (before, after) in enumerate(pairs):
            merged, conflicts = _merge(writer, Path(scratch), (before, tree, after))
            if conflicts:
                yield _Made(writer, start, tree, count, conflicts)
                return
            tree = merged
        yield _Made(writer, start, tree, len(pairs), ())


def _trees(git: Git, onto: str, picks: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """Tree to pick onto, and of each pick the trees before and after it."""
    boundary = shallow_commits(git.directory)
    names = [f"{onto}^{{tree}}"]
    for pick in picks:
        if pick in boundary:
            raise RangeError(f"{pick[:9]} is at the edge of the mirrored range")
        names += [f"{pick}^{{tree}}", f"{pick}^1^{{tree}}"]
    found = git.read(["cat-file", "--batch-check"], stdin="".join(f"{n}\n" for n in names).encode())
    rows = [line.split() for line in found.decode("ascii", "replace").splitlines()]
    trees = [row[0] if len(row) == 3 and row[1] == "tree" else None for row in rows]
    if trees[0] is None or None in trees[1::2]:
        lacking = [name for name, tree in zip(names, trees, strict=True) if tree is None]
        raise RangeError(f"{lacking[0].partition('^')[0][:40]} is not in the mirror")
    pairs = [
        (before or EMPTY_TREE, after)
        for after, before in zip(trees[1::2], trees[2::2], strict=True)
        if after is not None
    ]
    return trees[0], pairs


def _in_scratch(git: Git, scratch: Path) -> Git:
    """The same git, writing objects to the scratch directory only."""
    objects = str(git.directory / "objects").replace("\\", "\\\\").replace('"', '\\"')
    variables = {
        "GIT_OBJECT_DIRECTORY": str(scratch),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{objects}"',
    }
    return replace(git, variables={**(git.variables or {}), **variables})


def _merge(git: Git, scratch: Path, trees: tuple[str, str, str]) -> tuple[str, tuple[str, ...]]:
    """Merge two trees over a base: (tree, conflicting paths)."""
    base_tree, our_tree, their_tree = trees
    base = _write_commit(scratch, base_tree)
    ours = _write_commit(scratch, our_tree, base, "ours")
    theirs = _write_commit(scratch, their_tree, base, "theirs")
    outcome = git.run(
        ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs]
    )
    if outcome.status not in {0, 1}:
        if "usage:" in outcome.error:
            raise MirrorError(_OLDEST_GIT, where=git.program, mend="install a newer git")
        raise explain(outcome.error, where=str(git.directory))
    tree, *paths = outcome.output.decode("utf-8", "replace").split("\0")
    conflicts = tuple(dict.fromkeys(path for path in paths if path))
    if outcome.status == 1 and not conflicts:
        conflicts = ("(git named no file)",)
    return tree, conflicts if outcome.status == 1 else ()


def _write_commit(objects: Path, tree: str, parent: str | None = None, message: str = "") -> str:
    """Write a commit as a loose object; its name."""
    lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    lines += [f"author {_PERSON}", f"committer {_PERSON}", "", message]
    body = "\n".join(lines).encode()
    content = b"commit %d\0" % len(body) + body
    name = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    target = objects / name[:2] / name[2:]
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(zlib.compress(content, 1))
    return name
