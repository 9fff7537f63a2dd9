"""Whole projects for story tests: a real upstream repository, a configuration, the application."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tests.builders import GitRepo, git_environment
from watcher.app import App, open_app
from watcher.facts.item import Item
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.pinned import Moves
from watcher.pipeline.sync import SyncResult
from watcher.report.answer import Answer


class SilentProgress:
    """Tells nobody."""

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        """Nothing."""

    def note(self, line: str) -> None:
        """Nothing."""


class Project:
    """A user's project that pins one upstream made by the test."""

    def __init__(self, directory: Path, upstream: GitRepo, *, name: str = "acme/engine") -> None:
        self.directory = directory
        self.upstream = upstream
        self.name = name
        self.pin = name.rpartition("/")[2]
        self._app: App | None = None
        directory.mkdir(parents=True, exist_ok=True)

    def configure(self, ref: str, *, usage: str = "", pin: str = "", more: str = "") -> Self:
        """Write watcher.toml."""
        text = f"""
[[pins]]
name = "{self.pin}"
upstream = "{self.name}"
ref = "{ref}"
git = "{self.upstream.path.as_uri()}"
api = "off"
{pin}

[usage]
{usage}
{more}
"""
        (self.directory / "watcher.toml").write_text(text, encoding="utf-8")
        self.close()
        return self

    def write(self, name: str, text: str) -> Self:
        """A file of the user."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return self

    @property
    def app(self) -> App:
        """The application on this project."""
        if self._app is None:
            self._app = open_app(self.directory / "watcher.toml", environment=git_environment())
        return self._app

    def close(self) -> None:
        """Close the application; the next use opens it anew."""
        if self._app is not None:
            self._app.close()
            self._app = None

    def sync(self) -> SyncResult:
        """Bring the upstream up to date."""
        result = self.app.sync(SilentProgress())[0]
        assert isinstance(result, SyncResult), result
        return result

    def list(
        self,
        *,
        at: Sequence[str] = (),
        as_of: Sequence[str] = (),
        everything: bool = True,
    ) -> Answer:
        """The list, everything in it unless told otherwise."""
        moves = Moves.parse(at, as_of, self.app.pin_names)
        return self.app.list(ListFilter(everything=everything), moves=moves)

    def items(self, **moves: Sequence[str]) -> dict[str, Item]:
        """All items of the pin by name, those that the list only counts too."""
        moved = Moves.parse(moves.get("at", ()), moves.get("as_of", ()), self.app.pin_names)
        pins = self.app.pinned(moved)
        assessor = self.app.assessor(pins)
        from watcher.pipeline.pinned import resolved

        found = [f for one, pin, at in resolved(pins) for f in assessor.findings(one, pin, at)]
        return {each.item.id: each.item for each in found}


def one_fix_behind(directory: Path) -> Project:
    """A project that pins v1.0.0 of an upstream with one later fix; not yet synced."""
    upstream = GitRepo(directory / "upstream")
    upstream.commit({"engine/step.py": "def step():\n    return 1\n"}, "first")
    upstream.tag("v1.0.0")
    upstream.squash("[core] fix: step twice", 1, {"engine/step.py": "def step():\n    return 2\n"})
    return Project(directory / "project", upstream).configure("v1.0.0")
