"""Followed files coming and going -> since when each folder has been there.

Pure. A folder is born with its first followed file and is forgotten with its last.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field


class Folders(Struct):
    """How many followed files each folder holds, and since which position."""

    counts: dict[str, int] = field(default_factory=dict)
    births: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, position: int) -> None:
        """A file came."""
        for folder in _parents(path):
            if not self.counts.get(folder):
                self.births[folder] = position
            self.counts[folder] = self.counts.get(folder, 0) + 1

    def remove(self, path: str) -> None:
        """A file went."""
        for folder in _parents(path):
            count = self.counts.get(folder, 0) - 1
            if count > 0:
                self.counts[folder] = count
            else:
                self.counts.pop(folder, None)
                self.births.pop(folder, None)


def _parents(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
