"""The time. A declaration, no I/O."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time, asked for once per use case."""

    def now(self) -> datetime:
        """Aware UTC time."""
        ...
