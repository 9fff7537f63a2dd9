"""Lines of one ``git log -p -U0 -M`` stream -> the diff of each commit, file by file, hunk by hunk.

Pure; the stream is the one that ``ports.Mirror.patches`` describes. Sizes are bounded: a file whose
diff is too large keeps its line counts and loses its text, and nothing else is lost with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.diff import FileStatus, Role
from watcher.history.hunk_lines import LineStream, read_body
from watcher.history.quoting import header_paths, plain_path
from watcher.history.roles import path_role

COMMIT_MARK: Final = b"\x01"
MISSING_MARK: Final = b"\x02"
FILE_LINES: Final = 20_000
"""Changed lines of one file beyond which its text is dropped."""
FILE_BYTES: Final = 2_000_000
COMMIT_BYTES: Final = 30_000_000
"""Changed bytes of one commit beyond which the text of further files is dropped."""
TOO_LARGE: Final = "too large"
_READ_ROLES: Final = frozenset(Role) - {Role.DOCS, Role.CI, Role.OTHER}

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.{0,200})")


class HunkDiff(Struct, frozen=True):
    """One contiguous region; lines are counted from 0."""

    old_start: int
    """First removed line, or the line before which the new ones stand."""
    old_count: int
    new_start: int
    new_count: int
    removed: tuple[str, ...]
    """Text of the removed lines; empty when the file's diff was omitted, and for files whose lines
    say nothing of code (documents, CI).
    """
    added: tuple[str, ...]
    header: str = ""
    """What git prints after the line numbers: the line that opens the enclosing function."""

    @property
    def old_end(self) -> int:
        """One past the last removed line."""
        return self.old_start + self.old_count


class FileDiff(Struct, frozen=True, kw_only=True):
    """One path of a commit's diff."""

    path: str
    old_path: str
    """Path before the change: another one when renamed or copied."""
    status: FileStatus
    role: Role
    hunks: tuple[HunkDiff, ...] = ()
    added: int = 0
    removed: int = 0
    omitted: str | None = None
    """Why the text of the hunks is missing, or None."""

    @property
    def is_new(self) -> bool:
        """True for a file that starts empty (not for a copy)."""
        return self.status is FileStatus.ADDED and self.path == self.old_path


class CommitDiff(Struct, frozen=True):
    """The diff of one commit against its first parent."""

    sha: str
    files: tuple[FileDiff, ...] = ()


def parse_log(batches: Iterable[Sequence[bytes]]) -> Iterator[CommitDiff]:
    """Diffs in the order of the stream, one at a time; lines that fit nowhere are passed over."""
    stream = LineStream(batches)
    commit: _Commit | None = None
    for line in stream:
        if line.startswith(COMMIT_MARK):
            if commit is not None:
                yield commit.finished()
            commit = _Commit(line[1:41].decode("ascii", "replace"))
        elif commit is not None:
            following: bytes | None = line
            while following is not None and not following.startswith(COMMIT_MARK):
                following = commit.take(following, stream)
            if following is not None:
                yield commit.finished()
                commit = _Commit(following[1:41].decode("ascii", "replace"))
    if commit is not None:
        yield commit.finished()


class _Commit:
    """A commit while its lines arrive."""

    def __init__(self, sha: str) -> None:
        self._sha = sha
        self._files: list[FileDiff] = []
        self._file: _File | None = None
        self._budget = COMMIT_BYTES

    def take(self, line: bytes, stream: LineStream) -> bytes | None:
        """Read a line, and a hunk's body with it; a line that broke off the hunk comes back."""
        if line.startswith(b"diff --git "):
            self._close()
            self._file = _File(*header_paths(line[11:].rstrip(b"\r\n")), budget=self._budget)
        elif line.startswith(MISSING_MARK):
            self._close()
            self._files.append(_missing_file(line))
        elif self._file is not None:
            if line.startswith(b"@@ "):
                return self._file.read_hunk(line, stream)
            self._file.read_header(line)
        return None

    def finished(self) -> CommitDiff:
        self._close()
        return CommitDiff(self._sha, tuple(self._files))

    def _close(self) -> None:
        if self._file is not None:
            self._budget = max(0, self._budget - self._file.size)
            self._files.append(self._file.finished())
            self._file = None


class _File:
    """A file while its lines arrive."""

    def __init__(self, old_path: str, path: str, *, budget: int) -> None:
        self._old_path = old_path
        self._path = path
        self._status = FileStatus.MODIFIED
        self._hunks: list[HunkDiff] = []
        self._added = 0
        self._removed = 0
        self._omitted: str | None = None
        self._limit = min(FILE_BYTES, budget)
        self._is_read = True
        self.size = 0

    def read_header(self, line: bytes) -> None:
        """An extended header line."""
        if line.startswith(b"new file"):
            self._status = FileStatus.ADDED
            self._old_path = self._path
        elif line.startswith(b"deleted file"):
            self._status = FileStatus.DELETED
        elif line.startswith((b"rename from ", b"copy from ")):
            is_copy = line.startswith(b"copy")
            self._status = FileStatus.ADDED if is_copy else FileStatus.RENAMED
            self._old_path = plain_path(line.split(b" from ", 1)[1])
        elif line.startswith((b"rename to ", b"copy to ")):
            self._path = plain_path(line.split(b" to ", 1)[1])
        elif line.startswith((b"Binary files ", b"GIT binary patch")):
            self._omitted = "binary"
        elif line.startswith(b"+++ ") and line[4:].strip() != b"/dev/null":
            self._path = plain_path(line[4:], prefix=True)
        elif line.startswith(b"--- ") and line[4:].strip() != b"/dev/null":
            self._old_path = plain_path(line[4:], prefix=True)

    def read_hunk(self, line: bytes, stream: LineStream) -> bytes | None:
        """A hunk by the counts of its header; one that breaks off is dropped.

        The line that breaks it off comes back.
        """
        found = _HUNK.match(line)
        if found is None:
            return None
        old_start, old_count, new_start, new_count = _numbers(found)
        self._is_read = path_role(self._path) in _READ_ROLES
        count = old_count + new_count
        room = self._limit - self.size if self._is_read and count <= FILE_LINES else 0
        body = read_body(stream, old_count, new_count, room)
        self.size += body.size
        if not body.is_whole:
            return body.stray
        header = found[5].decode("utf-8", "replace").rstrip()
        removed, added = tuple(body.removed), tuple(body.added)
        self._hunks.append(
            HunkDiff(old_start, old_count, new_start, new_count, removed, added, header)
        )
        self._added += new_count
        self._removed += old_count
        self._keep_in_bounds()
        return None

    def _keep_in_bounds(self) -> None:
        is_large = self.size > self._limit or self._added + self._removed > FILE_LINES
        if is_large and self._is_read and self._omitted is None:
            self._omitted = TOO_LARGE
        if is_large or self._omitted is not None:
            self._hunks = [_merged(self._hunks[0], self._hunks[-1])]

    def finished(self) -> FileDiff:
        return FileDiff(
            path=self._path,
            old_path=self._old_path,
            status=self._status,
            role=path_role(self._path),
            hunks=tuple(self._hunks),
            added=self._added,
            removed=self._removed,
            omitted=self._omitted,
        )


def _numbers(found: re.Match[bytes]) -> tuple[int, int, int, int]:
    """Starts and counts of a hunk header, lines from 0; git names the line before an empty side."""
    old_count = 1 if found[2] is None else int(found[2])
    new_count = 1 if found[4] is None else int(found[4])
    old_start = int(found[1]) - (1 if old_count else 0)
    new_start = int(found[3]) - (1 if new_count else 0)
    return max(0, old_start), old_count, max(0, new_start), new_count


def _merged(first: HunkDiff, last: HunkDiff) -> HunkDiff:
    """One hunk without text from the start of one to the end of another: bounded, counts right."""
    old_count = last.old_end - first.old_start
    new_count = last.new_start + last.new_count - first.new_start
    return HunkDiff(
        first.old_start, max(0, old_count), first.new_start, max(0, new_count), (), (), ""
    )


def _missing_file(line: bytes) -> FileDiff:
    path, _, reason = line[1:].rstrip(b"\r\n").partition(b"\0")
    text = path.decode("utf-8", "replace")
    return FileDiff(
        path=text,
        old_path=text,
        status=FileStatus.MODIFIED,
        role=path_role(text),
        omitted=reason.decode("utf-8", "replace")[:200] or "missing on the remote",
    )
