"""Makes the example upstream's repository from its fast-import stream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from watcher.adapters.git.process import Git


def build_repository(directory: Path, stream: bytes, environment: Mapping[str, str]) -> None:
    """A new bare repository that holds what the stream tells. Raises MirrorError."""
    git = Git(directory=directory, environment=environment)
    git.read(["init", "--bare", "--quiet", "--initial-branch=main", "--template="])
    git.read(["fast-import", "--quiet", "--done"], stdin=stream)
