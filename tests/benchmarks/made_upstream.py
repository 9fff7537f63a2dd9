"""A made-up upstream of a wanted size, the same on every machine, for benchmarks without a mirror.

    python -m tests.benchmarks.made_upstream DIRECTORY SHAPE CHANGES FILES

Trees, changes and messages have the sizes of a real upstream (``shapes.py``); a release branch
holds some of the last fixes, and reverts name what they take back. The stream for
``git fast-import`` holds every version of a file in one row, so that the pack is small.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from tests.benchmarks.made_plan import File, Plan, PlannedChange, Step
from tests.benchmarks.made_words import OWN, Words
from tests.benchmarks.project import Upstream
from tests.benchmarks.shapes import SHAPES, Shape

_LAST_DAY: Final = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
_LINE_BYTES: Final = 42
_FIRST_COMMIT: Final = 1 << 24
"""Marks of commits lie above those of contents."""
_RELEASE_AGE: Final = 500
_PICKS: Final = 20


def make_upstream(directory: Path, shape: Shape, changes: int) -> Upstream:
    """A bare repository with so many changes after its first commit; kept if it is there already.

    Made in a process of its own: what a parent holds would count as memory of its children.
    """
    if not (directory / "HEAD").exists():
        command = [sys.executable, "-m", "tests.benchmarks.made_upstream", str(directory)]
        subprocess.run([*command, shape.key, str(changes), str(shape.files)], check=True)
    return Upstream(shape.name, directory.as_uri())


def write_upstream(directory: Path, shape: Shape, changes: int) -> None:
    """Make the repository."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(directory)], check=True)
    git = [
        "git",
        "-C",
        str(directory),
        "-c",
        "pack.compression=1",
        "-c",
        "fastimport.unpackLimit=0",
    ]
    command = [*git, "fast-import", "--quiet", "--done"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        assert importer.stdout is not None
        _Writer(shape, changes, importer.stdin, importer.stdout).write()
        importer.stdin.close()
    if importer.returncode != 0:
        raise SystemExit(f"git fast-import failed with {importer.returncode}")
    # a server has its packs in order: what it sends costs it no search
    subprocess.run(["git", "-C", str(directory), "config", "pack.window", "0"], check=True)
    subprocess.run(
        ["git", "-C", str(directory), "config", "uploadpack.allowFilter", "true"], check=True
    )


class _Writer:
    """Writes one upstream to ``git fast-import`` and asks it for names of commits."""

    def __init__(self, shape: Shape, changes: int, out: IO[bytes], answers: IO[bytes]) -> None:
        self._dice = random.Random(7)
        self._plan = Plan(shape, self._dice, changes)
        self._words = Words(shape, self._dice)
        self._out = out
        self._answers = answers
        self._titles: list[str] = []

    def write(self) -> None:
        """Contents first, then the line, then the release branch."""
        for number, file in enumerate(self._plan.files):
            for mark, text in versions(file, number, self._words):
                self._out.write(f"blob\nmark :{mark}\n".encode() + _data(text))
        self._commit("main", 0, "first", self._plan.first)
        for place, change in enumerate(self._plan.changes):
            self._commit("main", place + 1, self._message(change), change.operations)
        self._release()
        self._out.write(b"done\n")
        self._out.flush()

    def _message(self, change: PlannedChange) -> str:
        if change.reverts is not None:
            title = self._titles[change.reverts]
            number = self._plan.changes[change.reverts].number
            self._titles.append(f'Revert "{title} (#{number})"')
            return self._words.revert(title, number, self._sha(change.reverts + 1), change.number)
        title = self._words.title(change.kind)
        self._titles.append(title)
        fixes = None
        if change.kind == "fix" and self._dice.random() < 0.3:
            fixes = change.number - self._dice.randint(20, 300)
        return self._words.message(title, change.number, self._words.body(), fixes)

    def _sha(self, place: int) -> str:
        self._out.write(f"get-mark :{_FIRST_COMMIT + place}\n".encode())
        self._out.flush()
        return self._answers.readline().decode().strip()

    def _commit(
        self, branch: str, place: int, message: str, operations: tuple[str, ...], mark: int = 0
    ) -> None:
        shape = self._plan.shape
        age = (len(self._plan.changes) - place) * 86_400 // shape.a_day
        who = f"Ada Upstream <ada@example.org> {int(_LAST_DAY.timestamp()) - age} +0000"
        head = f"commit refs/heads/{branch}\nmark :{mark or _FIRST_COMMIT + place}\n"
        people = f"author {who}\ncommitter {who}\n"
        self._out.write((head + people).encode() + _data(message))
        self._out.write("".join(operations).encode() + b"\n")

    def _release(self) -> None:
        """A tag on the line, and a branch from there that holds some of the fixes that came."""
        changes = self._plan.changes
        fork = max(1, len(changes) - _RELEASE_AGE)
        start = f"from :{_FIRST_COMMIT + fork}\n\n"
        self._out.write(f"reset refs/tags/v1.0.0\n{start}".encode())
        self._out.write(f"reset refs/heads/release/1.0\n{start}".encode())
        picks = [place for place in range(fork, len(changes)) if changes[place].kind == "fix"]
        for count, place in enumerate(picks[:_PICKS]):
            message = f"{self._titles[place]} (#{changes[place].number})\n\ncherry-picked\n"
            writes = tuple(one for one in changes[place].operations if one.startswith("M"))
            mark = 2 * _FIRST_COMMIT + count
            self._commit("release/1.0", place + 1, message, writes, mark)


def versions(file: File, number: int, words: Words) -> Iterator[tuple[int, str]]:
    """(mark, content) of every version of a file that has content of its own."""
    dice = words.dice
    size = words.shape.median_bytes * dice.lognormvariate(0, 1.1)
    lines: list[str] = []
    before: list[str] = []
    own = f"p{number:x}"
    for step, mark in file.versions:
        if step is Step.BACK:
            lines = before
            continue
        before = list(lines)
        if step is Step.NEW:
            lines = words.lines(file.path, max(3, min(20_000, int(size / _LINE_BYTES))))
        else:
            edit(lines, file.path, words)
        yield mark, "\n".join(lines).replace(OWN, own) + "\n"


def edit(lines: list[str], path: str, words: Words) -> None:
    """Change a file in a few places."""
    dice = words.dice
    for _ in range(1 + min(40, int(dice.expovariate(0.45)))):
        at = dice.randrange(len(lines))
        removed = min(30, int(dice.expovariate(0.4)))
        added = min(200, int(dice.expovariate(0.22)))
        lines[at : at + removed] = words.lines(path, added or 1)


def _data(text: str) -> bytes:
    raw = text.encode()
    return f"data {len(raw)}\n".encode() + raw + b"\n"


if __name__ == "__main__":
    _directory, _key, _changes, _files = sys.argv[1:]
    write_upstream(Path(_directory), replace(SHAPES[_key], files=int(_files)), int(_changes))
