"""Where long work tells how far it is. A declaration, no I/O."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Where long work tells how far it is; a bar on a terminal, nothing elsewhere."""

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        """Tell that ``done`` of ``total`` (None unknown) units of ``task`` are done."""
        ...

    def note(self, line: str) -> None:
        """Tell one line (expected size, restart of a walk)."""
        ...
