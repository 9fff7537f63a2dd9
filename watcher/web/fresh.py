"""Keeps a board at hand that is never older than need be, without making readers wait for it.

One thread lays boards out; readers wait for it a moment and take the last board when it takes
longer, so a first look after a large sync costs nobody a minute.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from watcher.pipeline.board import Board

Made = TypeVar("Made")

MAX_AGE: Final = timedelta(seconds=20)
"""A board older than this is laid out anew when somebody asks."""
PATIENCE_SECONDS: Final = 3.0
"""How long a reader who could have an older board waits for the new one."""


class FreshBoard:
    """The present board. Safe between threads."""

    def __init__(
        self, compose: Callable[[Board | None], Board], now: Callable[[], datetime]
    ) -> None:
        self._compose = compose
        self._now = now
        self._lock = threading.Lock()
        self._board: Board | None = None
        self._work: Future[Board] | None = None
        self._started = 0
        self._is_overtaken = False
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="board")

    def get(self) -> Board:
        """The present board. Raises what laying it out raises, when there is no earlier one."""
        with self._lock:
            board = self._board
            if board is not None and not self._is_old(board):
                return board
            if self._work is None or self._is_overtaken:
                self._is_overtaken = False
                self._started += 1
                self._work = self._worker.submit(self._renew, self._started)
            work = self._work
        if board is None:
            return work.result()
        try:
            return work.result(timeout=PATIENCE_SECONDS)
        except TimeoutError:
            return board

    def expire(self) -> None:
        """Have the next reader get a new board: a decision was made."""
        with self._lock:
            self._is_overtaken = True

    def close(self) -> None:
        """End the thread; what it is at is finished first."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _is_old(self, board: Board) -> bool:
        is_behind = self._is_overtaken or self._work is not None
        return is_behind or self._now() - board.made_at > MAX_AGE

    def _renew(self, number: int) -> Board:
        """Lay a board out; readers wait for the work that was started last."""
        with self._lock:
            before = self._board
        try:
            board = self._compose(before)
            with self._lock:
                self._board = board
            return board
        finally:
            with self._lock:
                if number == self._started:
                    self._work = None


class PerBoard(Generic[Made]):
    """Something that is worked out once for each state of the board. Safe between threads."""

    def __init__(self, make: Callable[[Board], Made]) -> None:
        self._make = make
        self._last: tuple[str, Made] | None = None

    def of(self, board: Board) -> Made:
        """What belongs to this board."""
        last = self._last
        if last is None or last[0] != board.fingerprint:
            last = (board.fingerprint, self._make(board))
            self._last = last
        return last[1]
