"""A story of file states told to a lineage without git: diffs by difflib, in git's shape."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from watcher.facts.diff import FileStatus
from watcher.history.diff import CommitDiff, FileDiff, HunkDiff
from watcher.history.roles import path_role
from watcher.presence.lineage import Applied, Lineage

Tree = Mapping[str, Sequence[str]]


def hunks_between(old: Sequence[str], new: Sequence[str]) -> tuple[HunkDiff, ...]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        HunkDiff(i, j - i, k, m - k, tuple(old[i:j]), tuple(new[k:m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    )


def file_diff(path: str, old: Sequence[str] | None, new: Sequence[str] | None) -> FileDiff:
    status = FileStatus.MODIFIED
    if old is None:
        status = FileStatus.ADDED
    elif new is None:
        status = FileStatus.DELETED
    hunks = hunks_between(old or (), new or ())
    return FileDiff(
        path=path,
        old_path=path,
        status=status,
        role=path_role(path),
        hunks=hunks,
        added=sum(hunk.new_count for hunk in hunks),
        removed=sum(hunk.old_count for hunk in hunks),
    )


def commit_diff(position: int, old: Tree, new: Tree) -> CommitDiff:
    changed = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
    files = tuple(file_diff(path, old.get(path), new.get(path)) for path in changed)
    return CommitDiff(f"{position:040x}", files)


def story(*trees: Tree) -> list[CommitDiff]:
    """The diffs from nothing through each tree in turn."""
    before: Tree = {}
    diffs = []
    for position, tree in enumerate(trees):
        diffs.append(commit_diff(position, before, tree))
        before = tree
    return diffs


def told(lineage: Lineage, diffs: Sequence[CommitDiff], start: int = 0) -> list[Applied]:
    return [lineage.apply(diff, start + at) for at, diff in enumerate(diffs)]


def code(text: str) -> list[str]:
    return text.strip("\n").split("\n")
