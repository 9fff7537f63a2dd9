"""The diffs of an upstream's line of commits, in order -> where every line came from.

Pure. ``Lineage`` holds, for each followed file, one provenance a line and where its functions
begin; ``apply`` takes the next commit's diff, returns what presence and facts need of it, and moves
on. A range that does not start at the root is seeded with the files of its base.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from watcher.facts.change import BEFORE_RANGE
from watcher.facts.diff import FileStatus, OriginRecord, Role
from watcher.history.definitions import PYTHON_SUFFIXES, FileDefinitions, definitions_of
from watcher.history.diff import CommitDiff, FileDiff
from watcher.history.diff_facts import functions_in_order
from watcher.history.roles import path_role
from watcher.presence.chains import Chains
from watcher.presence.folders import Folders
from watcher.presence.names import NameBirths
from watcher.presence.record import encode
from watcher.presence.survey import Survey
from watcher.presence.trace import Gone, trace
from watcher.presence.tracked import FOLLOWED_ROLES, TrackedFile, tracked_hunk

_GONE_KEPT: Final = 3_000
"""Commits for which a deleted line is remembered."""
_GONE_SWEEP: Final = 1_000
_MOST_LINES: Final = 5_000_000
"""Lines of a file up to which a diff is believed: larger files come without lines."""
_PROVENANCE: Final = "i"


class Applied(Struct, frozen=True):
    """What one commit's diff gave."""

    record: OriginRecord
    functions: dict[str, tuple[str, ...]]
    """Enclosing functions by path, for the Python files of the commit."""


class Lineage(Struct):
    """The line table of one upstream at some position."""

    lines: dict[str, array[int]] = field(default_factory=dict)
    definitions: dict[str, FileDefinitions] = field(default_factory=dict)
    chains: Chains = field(default_factory=Chains)
    gone: Gone = field(default_factory=dict)
    folders: Folders = field(default_factory=Folders)
    names: NameBirths = field(default_factory=NameBirths)

    def seed(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Take the files of the base commit: all their lines are older than the range."""
        self.names.seed(self._taken(files))

    def _taken(self, files: Iterable[tuple[str, bytes]]) -> Iterator[list[str]]:
        """The lines of the files that are shipped; all followed files go into the tables."""
        for path, content in files:
            role = path_role(path)
            if role not in FOLLOWED_ROLES:
                continue
            texts = content.decode("utf-8", "replace").split("\n")
            if texts[-1] == "":
                texts.pop()
            self.lines[path] = array(_PROVENANCE, [BEFORE_RANGE]) * len(texts)
            if path.endswith(PYTHON_SUFFIXES):
                self.definitions[path] = definitions_of(texts)
            self.folders.add(path, BEFORE_RANGE)
            if role.is_shipped:
                yield texts

    def apply(self, diff: CommitDiff, position: int) -> Applied:
        """Record a commit, then move the table past it. Positions must be given in order."""
        files = [
            self._tracked(file)
            for file in diff.files
            if file.role in FOLLOWED_ROLES or path_role(file.old_path) in FOLLOWED_ROLES
        ]
        touches_tests = any(file.role is Role.TEST for file in diff.files)
        survey = Survey(self.chains, self.gone, self.folders.births, self.names, position)
        record = encode(survey.record(files, touches_tests=touches_tests))
        trace(files, position, self.chains, self.gone)
        functions = self._move(files, position)
        if position % _GONE_SWEEP == _GONE_SWEEP - 1:
            self._sweep(position - _GONE_KEPT)
        return Applied(record, functions)

    def _tracked(self, file: FileDiff) -> TrackedFile:
        if file.is_new:
            lines: array[int] = array(_PROVENANCE)
            definitions = FileDefinitions()
        else:
            lines = self.lines.get(file.old_path, array(_PROVENANCE))
            definitions = self.definitions.get(file.old_path) or FileDefinitions()
        if file.status is FileStatus.ADDED and not file.is_new:
            lines = array(_PROVENANCE, lines)
        hunks = [tracked_hunk(hunk, lines) for hunk in file.hunks if hunk.old_end <= _MOST_LINES]
        return TrackedFile(file, lines, definitions, hunks)

    def _move(self, files: Sequence[TrackedFile], position: int) -> dict[str, tuple[str, ...]]:
        """Write the traced lines and the new definitions back. Old names leave before new ones
        come, so that two files can swap theirs.
        """
        functions: dict[str, tuple[str, ...]] = {}
        for file in files:
            diff = file.diff
            if diff.status in {FileStatus.DELETED, FileStatus.RENAMED}:
                self.lines.pop(diff.old_path, None)
                self.definitions.pop(diff.old_path, None)
                self.folders.remove(diff.old_path)
        for file in files:
            diff = file.diff
            after = FileDefinitions(
                file.definitions.lines, file.definitions.indents, file.definitions.names
            )
            if diff.path.endswith(PYTHON_SUFFIXES):
                if diff.hunks:
                    after.apply(diff.hunks)
                functions[diff.path] = functions_in_order(diff, file.definitions, after)
            if diff.status is FileStatus.DELETED or diff.role not in FOLLOWED_ROLES:
                continue
            if diff.role.is_shipped:
                self.names.add((text for hunk in diff.hunks for text in hunk.added), position)
            for hunk in reversed(file.hunks):
                start, end = hunk.hunk.old_start, hunk.hunk.old_end
                file.lines[start:end] = array(_PROVENANCE, hunk.added_from)
            self.lines[diff.path] = file.lines
            if diff.path.endswith(PYTHON_SUFFIXES):
                self.definitions[diff.path] = after
            if diff.status is not FileStatus.MODIFIED:
                self.folders.add(diff.path, position)
        return functions

    def _sweep(self, oldest: int) -> None:
        self.gone = {key: held for key, held in self.gone.items() if held[1] >= oldest}
