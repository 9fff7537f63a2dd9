"""The user's files. A declaration, no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Files(Protocol):
    """The user's files: configuration, launch scripts, sources, package metadata. Read only."""

    def read(self, path: Path, *, limit: int = 2_000_000) -> str | None:
        """Text of a file (UTF-8, undecodable bytes replaced), or None; never more than ``limit``
        bytes.
        """
        ...

    def find(self, root: Path, patterns: Sequence[str]) -> list[Path]:
        """Files under a root that match any glob pattern, sorted, hidden and vendored directories
        left out.
        """
        ...

    def names(self, directory: Path) -> list[str]:
        """Names in a directory, sorted; empty when it is none or cannot be read."""
        ...
