"""Writes a small git history as a ``git fast-import`` stream: commits, branches, tags.

Pure: text in, bytes out. The same calls give the same object names on every machine.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct, field

FIRST_DAY: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When the example's first commit was made, unless the story is told for another day."""


class HistoryWriter(Struct):
    """Collects commits; ``stream`` gives what ``git fast-import`` reads."""

    first_day: datetime = FIRST_DAY
    _parts: list[bytes] = field(default_factory=list)
    _marks: int = 0
    _tips: dict[str, int] = field(default_factory=dict)

    def commit(
        self,
        branch: str,
        message: str,
        files: dict[str, str | None],
        *,
        day: float,
        author: str = "Ada Upstream",
    ) -> int:
        """Add a commit to a branch and return its mark. A file of None is deleted.

        Args:
            branch: Short branch name; a new one needs ``fork`` first, save the very first.
            message: Whole commit message.
            files: Path to full new text, or to None.
            day: Days after the first day.
            author: Commit author's name.
        """
        self._marks += 1
        mark = self._marks
        when = int((self.first_day + timedelta(days=day)).timestamp())
        who = f"{author} <{author.partition(' ')[0].lower()}@example.org> {when} +0000"
        lines = [
            f"commit refs/heads/{branch}",
            f"mark :{mark}",
            f"author {who}",
            f"committer {who}",
        ]
        self._parts.append("\n".join(lines).encode() + b"\n" + _data(message))
        if branch in self._tips:
            self._parts.append(f"from :{self._tips[branch]}\n".encode())
        for path, text in files.items():
            if text is None:
                self._parts.append(f"D {path}\n".encode())
            else:
                self._parts.append(f"M 100644 inline {path}\n".encode() + _data(text))
        self._parts.append(b"\n")
        self._tips[branch] = mark
        return mark

    def fork(self, branch: str, mark: int) -> None:
        """Start a branch at a commit."""
        self._parts.append(f"reset refs/heads/{branch}\nfrom :{mark}\n\n".encode())
        self._tips[branch] = mark

    def tag(self, name: str, mark: int) -> None:
        """Put a lightweight tag on a commit."""
        self._parts.append(f"reset refs/tags/{name}\nfrom :{mark}\n\n".encode())

    def stream(self) -> bytes:
        """Everything so far, as ``git fast-import`` reads it."""
        return b"".join(self._parts) + b"done\n"


def _data(text: str) -> bytes:
    raw = text.encode()
    return f"data {len(raw)}\n".encode() + raw + b"\n"
