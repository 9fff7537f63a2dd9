"""Findings kept decoded in memory, for the faces that answer many questions in one process."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from watcher.pipeline.finding import Finding


class FindingsMemory:
    """The last findings of each pin with the fingerprint of what they were made from.

    Safe between threads: what is handed out is never changed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[str, tuple[Finding, ...]]] = {}

    def recall(self, pin: str, fingerprint: str) -> tuple[Finding, ...] | None:
        """The findings of a pin, or None when they were made from something else."""
        with self._lock:
            kept = self._kept.get(pin)
        return kept[1] if kept is not None and kept[0] == fingerprint else None

    def keep(self, pin: str, fingerprint: str, found: Sequence[Finding]) -> None:
        """Replace what is kept of a pin."""
        with self._lock:
            self._kept[pin] = (fingerprint, tuple(found))

    def fingerprint(self, pin: str) -> str | None:
        """What the kept findings of a pin were made from."""
        with self._lock:
            kept = self._kept.get(pin)
        return None if kept is None else kept[0]
