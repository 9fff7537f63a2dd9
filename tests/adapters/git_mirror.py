"""What the git tests share: requests with defaults, a mirror of a repository, quiet progress."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.builders import GitRepo
from watcher.adapters.git import GitMirror
from watcher.ports.mirror import MirrorRequest

TAGS = r"^v(?P<version>\d+(\.\d+)+)$"
RELEASES = r"^release/\d"


class Heard:
    """Progress that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.tasks: set[str] = set()

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        self.tasks.add(task)

    def note(self, line: str) -> None:
        self.notes.append(line)


def request(remote: str, *refs: str, **fields: Any) -> MirrorRequest:
    defaults: dict[str, Any] = {
        "branch": "main",
        "since": None,
        "tag_pattern": TAGS,
        "release_branch_pattern": RELEASES,
    }
    return MirrorRequest(remote=remote, refs=refs, **{**defaults, **fields})


def make_mirror(directory: Path, **fields: Any) -> GitMirror:
    return GitMirror(directory, environment=os.environ, **fields)


def mirror_of(repo: GitRepo, directory: Path, *refs: str, **fields: Any) -> GitMirror:
    """A mirror after its first update."""
    mirror = make_mirror(directory)
    mirror.update(request(repo.url, *refs, **fields), Heard())
    return mirror
