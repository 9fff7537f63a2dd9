"""A limit of processor time for a block, kept by the kernel's timer: steady on a busy machine."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OverBudgetError(AssertionError):
    """The block took more processor time than it may."""


@contextmanager
def budget(seconds: float, what: str = "") -> Iterator[None]:
    """Raises OverBudgetError in the block once it has used that much processor time."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OverBudgetError(f"more than {seconds} s of processor time: {what:.300}")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
