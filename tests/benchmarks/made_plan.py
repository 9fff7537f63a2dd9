"""What happens in a made-up upstream: which files each change touches, adds, renames, takes back.

Pure, and the same for the same dice. A plan is made before any text, so that all versions of a
file can be written one after the other, each a small delta of the one before.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from typing import Final

from tests.benchmarks.shapes import Shape

FIRST_MARK: Final = 1
_KINDS: Final = ("fix", "fix", "fix", "feat", "feat", "refactor", "chore")
_SUFFIXES: Final = {
    "csrc": (".cpp", ".cu", ".h"),
    "aten/src/ATen": (".cpp", ".cu", ".h"),
    "c10": (".cpp", ".h"),
    "third_party": (".cpp", ".h", ".md"),
    "docs": (".md", ".rst"),
    "examples": (".py", ".sh", ".yaml"),
    "torch": (".py", ".py", ".cpp", ".h"),
}
_A_FOLDER: Final = 14
"""Files of a folder, about."""


class Step(Enum):
    """How a version of a file comes from the one before."""

    NEW = "new"
    EDIT = "edit"
    BACK = "back"
    """The version before the last one again."""


@dataclass(slots=True)
class File:
    """One file through its life."""

    path: str
    folder: int
    versions: list[tuple[Step, int]] = field(default_factory=list)
    """Each with the mark of its content."""
    is_gone: bool = False

    def add(self, step: Step, mark: int) -> int:
        """A further version; returns its mark."""
        self.versions.append((step, mark))
        return mark


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """One commit of the line."""

    number: int
    kind: str
    operations: tuple[str, ...]
    """As ``git fast-import`` reads them."""
    reverts: int | None = None
    """Place of the change that it takes back."""


class Plan:
    """A tree and the changes on top of it."""

    def __init__(self, shape: Shape, dice: random.Random, changes: int) -> None:
        self.shape = shape
        self._dice = dice
        self._mark = FIRST_MARK
        self._folders: list[tuple[str, tuple[str, ...]]] = _folders(shape, dice)
        self._members: list[list[int]] = [[] for _ in self._folders]
        self.files: list[File] = []
        for _ in range(shape.files):
            self._create(dice.randrange(len(self._folders)))
        dice.shuffle(order := list(range(shape.files)))
        self._order = order
        self._weights = list(accumulate(1 / (rank + 15) ** 0.8 for rank in range(shape.files)))
        self.first = tuple(map(_write, self.files))
        self._touched: list[dict[int, int]] = []
        """Of each change, the content that it gave to a file."""
        self.changes = [self._change(place) for place in range(changes)]

    def _create(self, folder: int) -> File:
        directory, suffixes = self._folders[folder]
        number = len(self.files)
        suffix = suffixes[number % len(suffixes)]
        file = File(f"{directory}/part_{number}{suffix}", folder)
        file.add(Step.NEW, self._next())
        self._members[folder].append(number)
        self.files.append(file)
        return file

    def _next(self) -> int:
        self._mark += 1
        return self._mark

    def _change(self, place: int) -> PlannedChange:
        number = 1_000 + place
        if place > 20 and self._dice.random() < self.shape.reverts:
            target = place - self._dice.randint(1, 8)
            if operations := self._take_back(self._touched[target]):
                self._touched.append({})
                return PlannedChange(
                    number=number, kind="revert", operations=operations, reverts=target
                )
        chosen = self._choose()
        operations = tuple(one for which in chosen for one in self._touch(which))
        self._touched.append({which: self.files[which].versions[-1][1] for which in chosen})
        if self._dice.random() < 0.25:
            count = 1 + int(self._dice.expovariate(1))
            born = [self._create(self.files[chosen[0]].folder) for _ in range(count)]
            operations += tuple(map(_write, born))
        return PlannedChange(number=number, kind=self._dice.choice(_KINDS), operations=operations)

    def _choose(self) -> tuple[int, ...]:
        """Files of one change: neighbours, and others that change often."""
        dice = self._dice
        first = self._popular()
        count = min(300, max(1, round(dice.lognormvariate(0.75, 1.05) * self.shape.touched / 4)))
        near = self._members[self.files[first].folder]
        chosen = {first: None}
        for _ in range(count - 1):
            chosen[dice.choice(near) if dice.random() < 0.6 else self._popular()] = None
        return tuple(one for one in chosen if not self.files[one].is_gone) or (self._alive(),)

    def _popular(self) -> int:
        return self._dice.choices(self._order, cum_weights=self._weights)[0]

    def _alive(self) -> int:
        while True:
            which = self._popular()
            if not self.files[which].is_gone:
                return which

    def _touch(self, which: int) -> Iterable[str]:
        file = self.files[which]
        fate = self._dice.random()
        if fate < 0.01 and which > 200:
            file.is_gone = True
            return (f"D {file.path}\n",)
        old = file.path
        file.add(Step.EDIT, self._next())
        if fate > 0.992:
            stem, _, suffix = old.rpartition(".")
            file.path = f"{stem}_moved.{suffix}"
            return (f"D {old}\n", _write(file))
        return (_write(file),)

    def _take_back(self, touched: Mapping[int, int]) -> tuple[str, ...]:
        """Files of a change as they were before it, where nothing touched them since."""
        operations = []
        for which, mark in touched.items():
            file = self.files[which]
            if not file.is_gone and file.versions[-1] == (Step.EDIT, mark):
                file.add(Step.BACK, file.versions[-2][1])
                operations.append(_write(file))
        return tuple(operations)


def _write(file: File) -> str:
    return f"M 100644 :{file.versions[-1][1]} {file.path}\n"


def _folders(shape: Shape, dice: random.Random) -> list[tuple[str, tuple[str, ...]]]:
    """Folders, nested up to five deep, each with the suffixes of its files."""
    folders = []
    for root, share in shape.roots:
        made = [root]
        for number in range(max(1, shape.files * share // 100 // _A_FOLDER)):
            parent = dice.choice(made[-400:])
            depth = parent.count("/") - root.count("/")
            made.append(f"{parent if depth < 4 else root}/unit_{number}")
        folders += [(one, _SUFFIXES.get(root, (".py",))) for one in made]
    return folders
