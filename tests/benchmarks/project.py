"""A scratch project that pins an upstream, and ranges of a wanted length of that upstream."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measure import Cost, environment, run


@dataclass(frozen=True, slots=True)
class Upstream:
    """A local repository to measure on."""

    name: str
    url: str
    branch: str = "main"

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.url.removeprefix("file://"))

    def git(self, *arguments: str) -> str:
        """Standard output of a git command in it."""
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def before(self, count: int) -> str:
        """The commit after which the branch has so many changes, at most."""
        line = self.git("rev-list", "--first-parent", f"-n{count + 1}", self.branch).split()
        return line[-1]


@dataclass(frozen=True, slots=True)
class BenchProject:
    """A configuration in a folder of its own."""

    directory: Path
    scratch: Path

    @classmethod
    def make(cls, scratch: Path, upstream: Upstream, ref: str) -> BenchProject:
        """Pin ``ref`` of an upstream; its history begins there."""
        directory = scratch / f"{upstream.name.replace('/', '+')}-{ref[:12]}"
        directory.mkdir()
        (directory / "watcher.toml").write_text(
            f'[[pins]]\nname = "pinned"\nupstream = "{upstream.name}"\nref = "{ref}"\n'
            f'since = "{ref}"\ngit = "{upstream.url}"\nbranch = "{upstream.branch}"\n'
            'api = "off"\n',
            encoding="utf-8",
        )
        return cls(directory, scratch)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of its commands."""
        return environment(self.scratch)

    def command(self, *arguments: str) -> list[str]:
        """A command line of watcher."""
        start = "from watcher.cli.main import main; main()"
        return [sys.executable, "-c", start, "--quiet", *arguments]

    def watcher(self, *arguments: str, stdin: Path | None = None) -> Cost:
        """Run watcher once."""
        return run(self.command(*arguments), self.directory, self.variables, stdin)

    def changes(self) -> int:
        """How many changes the store holds."""
        import sqlite3

        with sqlite3.connect(self.directory / "watcher.db") as store:
            return int(store.execute("SELECT count(*) FROM change").fetchone()[0])
