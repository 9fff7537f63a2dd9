"""Answers that take a while, kept as long as everything that they were made from stands."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Final, Generic, TypeVar

from msgspec.structs import replace

from watcher.app import App
from watcher.pipeline.board import Board
from watcher.pipeline.pinned import NO_MOVES
from watcher.pipeline.selection import Selection
from watcher.report.answer import Answer
from watcher.report.item_report import ItemReport
from watcher.report.upgrade import Upgrade

Kept = TypeVar("Kept")
_REPORTS_KEPT: Final = 64
_UPGRADES_KEPT: Final = 16
_WORDS_KEPT: Final = 256
_WORDS_ASKED: Final = 8
"""Words of one search that are looked up beyond what rows show."""


class Shelf(Generic[Kept]):
    """The answers that were asked for last, by name, for one state of the board."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._fingerprint = ""
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def get(self, board: Board, name: str, make: Callable[[], Kept]) -> Kept:
        """The answer of this name; made now when there is none for this board."""
        with self._lock:
            if self._fingerprint != board.fingerprint:
                self._kept.clear()
                self._fingerprint = board.fingerprint
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        made = make()
        with self._lock:
            if self._fingerprint == board.fingerprint:
                self._kept[name] = made
                while len(self._kept) > self._size:
                    self._kept.popitem(last=False)
        return made


class Answers:
    """Searches, reports and upgrades at the pins as configured. Safe between threads."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._reports: Shelf[tuple[Answer, ItemReport]] = Shelf(_REPORTS_KEPT)
        self._upgrades: Shelf[tuple[Answer, Upgrade]] = Shelf(_UPGRADES_KEPT)
        self._words: Shelf[frozenset[str]] = Shelf(_WORDS_KEPT)

    def with_words(self, board: Board, wanted: Selection) -> Selection:
        """A selection that knows which changes hold its words. Raises StoreError."""
        held = {
            word: self._words.get(board, word, partial(self._app.changes_with, word))
            for word in wanted.words[:_WORDS_ASKED]
        }
        return replace(wanted, held=held)

    def show(self, board: Board, name: str) -> tuple[Answer, ItemReport]:
        """The report of an item. Raises UsageError for what is not known."""
        return self._reports.get(board, name, lambda: self._app.show(name, moves=NO_MOVES))

    def upgrade(self, board: Board, pin: str) -> tuple[Answer, Upgrade]:
        """The upgrade of a pin. Raises UsageError for a pin without a commit."""
        return self._upgrades.get(
            board, pin, lambda: self._app.upgrade(pin, moves=NO_MOVES, limit=None)
        )
