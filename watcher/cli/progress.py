"""Progress on a terminal: one bar that changes its task; nothing where there is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from watcher.report.escape import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class TerminalProgress:
    """Implements ``ports.Progress``; use as a context manager."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._has_bar = not is_quiet and sys.stderr.isatty()
        self._bar: Bar | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._has_bar:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.fields[told]}", markup=False),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        """Move the bar of a task."""
        if self._bar is None:
            return
        told = one_line(f"{done:,}{f' of {total:,}' if total else ''} {unit}")
        if task not in self._tasks:
            for other in self._tasks.values():
                self._bar.update(other, visible=False)
            self._tasks[task] = self._bar.add_task(one_line(task), total=total, told=told)
        self._bar.update(self._tasks[task], completed=done, total=total, told=told)

    def note(self, line: str) -> None:
        """Tell one line above the bar, or on plain standard error."""
        if self._is_quiet:
            return
        if self._bar is not None:
            self._bar.console.print(one_line(line, 400), markup=False, highlight=False)
        else:
            sys.stderr.write(one_line(line, 400) + "\n")
