"""Slows down whoever guesses tokens: counts failures within a minute. No clock of its own."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from typing import Final

MOST_FAILURES: Final = 20
WINDOW: Final = timedelta(minutes=1)


class Throttle:
    """Failures of all askers together: one token is at stake, whoever guesses."""

    def __init__(self) -> None:
        self._failures: deque[datetime] = deque(maxlen=MOST_FAILURES)

    def admits(self, now: datetime) -> bool:
        """True while there is another try."""
        return len(self._failures) < MOST_FAILURES or now - self._failures[0] > WINDOW

    def note_failure(self, now: datetime) -> None:
        """A wrong token was given."""
        self._failures.append(now)
