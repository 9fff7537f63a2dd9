"""The computer's clock."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """``ports.Clock`` on the computer's time."""

    def now(self) -> datetime:
        """Aware UTC time."""
        return datetime.now(UTC)
