"""Runs a command and tells what it cost: time by the clock, of the processor, memory at its peak.

Processor time includes the processes that the command started and waited for; on a machine that
does other things too it is the fairer number.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import watcher

IMPORT = "`python -c 'import sqlmodel'`"
"""The yardstick of short commands."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took."""

    wall: float
    cpu: float
    peak_mb: float
    """Of the process itself where it wrote it down, else of it or its largest child."""
    child_mb: float = 0.0
    """Of the largest child (git), where that is more than the process's own."""

    def __add__(self, other: Cost) -> Cost:
        """Two runs, one after the other."""
        peak = max(self.peak_mb, other.peak_mb)
        return Cost(self.wall + other.wall, self.cpu + other.cpu, peak)

    @property
    def peak(self) -> str:
        """The peaks in words."""
        own = f"{self.peak_mb:.0f} MB"
        return f"{own}, its git {self.child_mb:.0f} MB" if self.child_mb > self.peak_mb else own


def environment() -> dict[str, str]:
    """This environment; byte code is used and kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"GIT_TERMINAL_PROMPT": "0"}


def compile_package() -> None:
    """Make the package's byte code, which an installed package has."""
    package = Path(watcher.__file__).parent
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(package)], check=True)


PEAK_FILE: Final = "WATCHER_BENCH_PEAK"
"""Names the file to which a measured process writes its own peak, in kilobytes, at its end."""
NOTE_PEAK: Final = (
    "import atexit, os, resource; atexit.register(lambda: open(os.environ['WATCHER_BENCH_PEAK'],"
    " 'w').write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)))\n"
)
"""What a measured Python process runs first."""


def run(
    command: Sequence[str],
    cwd: Path,
    variables: dict[str, str],
    stdin: Path | None = None,
    stdout: Path | None = None,
) -> Cost:
    """Run a command once. Raises SystemExit with its words when it fails."""
    with (
        tempfile.TemporaryFile() as words,
        (stdin or Path(os.devnull)).open("rb") as source,
        (stdout or Path(os.devnull)).open("wb") as answer,
    ):
        start = time.perf_counter()
        child = subprocess.Popen(
            command, cwd=cwd, env=variables, stdin=source, stdout=answer, stderr=words
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            words.seek(0)
            raise SystemExit(f"{' '.join(command)}: {words.read().decode(errors='replace')}")
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    noted = Path(variables.get(PEAK_FILE, os.devnull))
    if not noted.is_file():
        return Cost(wall, cpu, peak)
    own = int(noted.read_text(encoding="ascii")) / 1024
    noted.unlink()
    return Cost(wall, cpu, own, peak)


def best(
    command: Sequence[str],
    cwd: Path,
    variables: dict[str, str],
    rounds: int = 5,
    stdin: Path | None = None,
) -> Cost:
    """The cheapest of some runs, after one that warms the caches."""
    run(command, cwd, variables, stdin)
    costs = [run(command, cwd, variables, stdin) for _ in range(rounds)]
    return Cost(
        min(c.wall for c in costs),
        min(c.cpu for c in costs),
        max(c.peak_mb for c in costs),
        max(c.child_mb for c in costs),
    )


def import_cost(scratch: Path) -> Cost:
    """What ``import sqlmodel`` costs here and now."""
    return best([sys.executable, "-c", "import sqlmodel"], scratch, environment())


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """A folder that goes at the end."""
    with tempfile.TemporaryDirectory(prefix="watcher-bench-") as name:
        yield Path(name)


def told_by(module: str, *arguments: str) -> str:
    """Standard output of another of these modules, run as a process of its own.

    What needs much memory runs so: the memory of a parent counts as that of its children.
    """
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def table(title: str, rows: Iterable[Sequence[str]]) -> None:
    """Print a table in Markdown, columns aligned; the first row is its head."""
    print(f"\n**{title}**\n\n{markdown(list(rows))}", flush=True)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table, the first one its head."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in (rows[0], rule, *rows[1:])
    )


COST_HEAD = ("what", "clock", "CPU", "peak memory")


def cost_row(name: str, cost: Cost | None) -> tuple[str, str, str, str]:
    """A row of a table of costs; of what could not be run, if there is none."""
    if cost is None:
        return (name, "fails", "-", "-")
    return (name, f"{cost.wall:.2f} s", f"{cost.cpu:.2f} s", cost.peak)
