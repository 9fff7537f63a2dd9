"""What the sections of one run share: upstreams, and the projects that were synced on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.benchmarks.made_upstream import make_upstream
from tests.benchmarks.measure import Cost, environment, run
from tests.benchmarks.project import BenchProject, Upstream
from tests.benchmarks.shapes import SHAPES, Shape, scaled

LATER: Final = (10, 100)
"""How many changes come between one sync and the next, in turn."""
GROWTH: Final = (1_000, 3_000, 10_000, 30_000)
GROWN: Final = "vllm"
"""The shape that growth is measured on."""
_QUICK_CHANGES: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An upstream and the range of it that is measured."""

    title: str
    whole: Upstream
    """With all its changes: the range ends some before them."""
    ref: str
    """Where the range begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """A project after its first sync."""

    subject: Subject
    upstream: Upstream
    """What it follows: lacks the last changes of the whole."""
    project: BenchProject
    alone: Cost | None
    """git's own cost of the range; None where git fails."""
    first: Cost

    @property
    def title(self) -> str:
        """For the heads of tables."""
        return f"{self.subject.title}, {self.project.changes():,} changes"


@dataclass(slots=True, kw_only=True)
class Bench:
    """One run."""

    scratch: Path
    shapes: Sequence[Shape]
    quick: bool = False
    real: tuple[Upstream, str] | None = None
    """A real upstream and where its range begins; then none is made up."""
    real_growth: Upstream | None = None
    _synced: dict[str, Synced] = field(default_factory=dict)

    def synced(self) -> Iterator[Synced]:
        """Every subject after its first sync; each is synced once in a run."""
        return map(self._sync, self._subjects())

    def _subjects(self) -> Iterator[Subject]:
        if self.real is not None:
            upstream, ref = self.real
            yield Subject(title=f"{upstream.name} since {ref}", whole=upstream, ref=ref)
            return
        for shape in self.shapes:
            whole = self._made(shape)
            title = f"made up, of {shape.key}'s size ({shape.files:,} files)"
            start = whole.before(shape.changes + sum(LATER))
            yield Subject(title=title, whole=whole, ref=start)

    def grown(self) -> Iterator[Synced]:
        """One upstream, ever more of its history, each synced."""
        lengths: Sequence[int] = GROWTH
        whole, title = self.real_growth, "growth"
        if whole is None:
            shape = SHAPES[GROWN]
            if self.quick:
                lengths, shape = (100, 300), scaled(shape, _QUICK_CHANGES)
            whole = self._made(shape, lengths[-1])
        starts = [whole.before(length + sum(LATER)) for length in lengths]
        for ref in dict.fromkeys(starts):
            yield self._sync(Subject(title=title, whole=whole, ref=ref))

    def _made(self, shape: Shape, changes: int = 0) -> Upstream:
        if shape.key == GROWN and not self.quick:
            changes = GROWTH[-1]
        wanted = max(changes, shape.changes) + sum(LATER)
        name = f"made-{shape.key}-{wanted}-{shape.files}.git"
        return make_upstream(self.scratch / name, shape, wanted)

    def _sync(self, subject: Subject) -> Synced:
        key = f"{subject.whole.path.name}-{subject.ref[:12]}"
        if key not in self._synced:
            folder = self.scratch / f"on-{key}"
            folder.mkdir()
            held = subject.whole.held_back(folder / "upstream.git", sum(LATER))
            alone = git_alone(folder, held, subject.ref)
            project = BenchProject.make(folder, held, subject.ref)
            first = project.watcher("sync")
            self._synced[key] = Synced(
                subject=subject, upstream=held, project=project, alone=alone, first=first
            )
        return self._synced[key]


def quick_shapes(shapes: Sequence[Shape]) -> list[Shape]:
    """The same, cut down to what takes seconds."""
    return [scaled(shape, _QUICK_CHANGES) for shape in shapes]


def git_alone(scratch: Path, upstream: Upstream, ref: str) -> Cost | None:
    """A shallow fetch of the range, and its whole log with patches.

    None where git dies, on objects that the remote has lost.
    """
    bare = scratch / "git-alone.git"
    variables = environment()
    sha = upstream.git("merge-base", f"{ref}^{{commit}}", upstream.branch)
    when = upstream.git("show", "-s", "--format=%ct", sha)
    git = ["git", "-C", str(bare)]
    shallow = ["fetch", "-q", "--no-tags", f"--shallow-since={when}", upstream.url, upstream.branch]
    log = ["log", "--first-parent", "-p", f"{sha}..FETCH_HEAD"]
    try:
        cost = run(["git", "init", "-q", "--bare", str(bare)], scratch, variables)
        cost += run([*git, *shallow], scratch, variables)
        return cost + run([*git, *log], scratch, variables)
    except SystemExit:
        return None
