"""A commit's diff laid over the line table: each removed line with where it came from.

Pure. Only files whose lines are followed are here: shipped files and tests.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from watcher.facts.diff import FileStatus, Role
from watcher.history.definitions import FileDefinitions
from watcher.history.diff import FileDiff, HunkDiff
from watcher.presence.lines import line_keys, telling

FOLLOWED_ROLES: Final = frozenset({Role.SOURCE, Role.CONFIG, Role.EXAMPLE, Role.BUILD, Role.TEST})


class TrackedHunk(Struct):
    """A hunk with keys and provenances of its lines."""

    hunk: HunkDiff
    removed_keys: list[str]
    added_keys: list[str]
    removed_from: list[int]
    """Provenance of each removed line."""
    removed_telling: list[int]
    """Indexes of the removed lines that carry meaning."""
    added_from: list[int] = field(default_factory=list)
    """Provenance of each added line, once traced."""

    @property
    def is_legible(self) -> bool:
        """False when the text of the hunk was omitted, or is not what its header announces."""
        return len(self.removed_keys) == self.hunk.old_count and (
            len(self.added_keys) == self.hunk.new_count
        )


class TrackedFile(Struct):
    """A followed file of a commit with its tables as they were before it."""

    diff: FileDiff
    lines: array[int]
    definitions: FileDefinitions
    hunks: Sequence[TrackedHunk] = ()

    @property
    def is_new(self) -> bool:
        """True when the commit adds the file."""
        return self.diff.status is FileStatus.ADDED and self.diff.is_new


def tracked_hunk(hunk: HunkDiff, lines: array[int]) -> TrackedHunk:
    """A hunk over the table of its file; the table is grown when the diff knows more lines."""
    if len(lines) < hunk.old_end:
        lines.extend([-1] * (hunk.old_end - len(lines)))
    removed_keys = line_keys(hunk.removed)
    return TrackedHunk(
        hunk,
        removed_keys,
        line_keys(hunk.added),
        lines[hunk.old_start : hunk.old_end].tolist(),
        telling(hunk.removed, removed_keys),
    )
