"""Work shared with a second process of our own: ``ports.Mapped``.

Starts the process only when there is enough to do and a second processor to do it. The process
does nothing but compute; should it vanish (out of memory, killed), this one does the rest itself,
and should this one vanish, the other finds its connection closed and ends.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Final, Generic

from watcher.ports import Outcome, Task

WORTH: Final = 100
"""Tasks from which a second process costs less than it brings."""
_BATCH: Final = 16
"""Tasks sent at once."""
_AHEAD: Final = 16
"""Batches that may be on their way: bounds memory."""
_COLLECT_EVERY: Final = 50_000


def mapped_apart(
    make: Callable[[], Callable[[Task], Outcome]], tasks: Iterable[Task], *, worth: int = WORTH
) -> Iterator[Outcome]:
    """``ports.Mapped``: here for a few tasks or with one processor, apart for many."""
    coming = iter(tasks)
    first = list(islice(coming, worth))
    everything = chain(first, coming)
    if len(first) < worth or _processors() < 2:
        return map(make(), everything)
    return _apart(make, everything)


def _apart(
    make: Callable[[], Callable[[Task], Outcome]], tasks: Iterator[Task]
) -> Iterator[Outcome]:
    with _started(make) as second:
        while batch := list(islice(tasks, _BATCH)):
            if not second.send(batch):
                break
            while second.has_answer():
                yield from second.answer()
        while second.is_asked and not second.is_gone:
            yield from second.answer()
        left = list(chain.from_iterable(second.unanswered))
    if left or second.is_gone:
        yield from map(make(), chain(left, tasks))


class _Second(Generic[Task, Outcome]):
    """The other process, seen from this one."""

    def __init__(self, connection: Connection) -> None:
        self.unanswered: deque[list[Task]] = deque()
        self.is_gone = False
        self._connection = connection
        self._answers: SimpleQueue[list[Outcome] | None] = SimpleQueue()
        self.listener = threading.Thread(target=self._listen, daemon=True)

    @property
    def is_asked(self) -> bool:
        """True while an answer is due."""
        return bool(self.unanswered)

    def send(self, batch: list[Task]) -> bool:
        """Hand a batch over; False when nobody is there to take it."""
        self.unanswered.append(batch)
        try:
            self._connection.send(batch)
        except OSError:
            self.is_gone = True
        return not self.is_gone

    def has_answer(self) -> bool:
        """True when an answer is there, or must be waited for before more is sent."""
        return not self.is_gone and (not self._answers.empty() or len(self.unanswered) >= _AHEAD)

    def answer(self) -> list[Outcome]:
        """The outcomes of the oldest batch; none when the process is gone."""
        outcomes = self._answers.get()
        if outcomes is None:
            self.is_gone = True
            return []
        self.unanswered.popleft()
        return outcomes

    def _listen(self) -> None:
        """Take answers as they come, so that neither side waits for the other to read."""
        try:
            while True:
                self._answers.put(self._connection.recv())
        except (EOFError, OSError):
            self._answers.put(None)


@contextmanager
def _started(make: Callable[[], Callable[[Task], Outcome]]) -> Iterator[_Second[Task, Outcome]]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    second: _Second[Task, Outcome] = _Second(ours)
    process = context.Process(target=_work, args=(theirs, make), daemon=True)
    try:
        process.start()
    except OSError:  # no memory or no process number left
        second.is_gone = True
        theirs.close()
        ours.close()
        yield second
        return
    theirs.close()
    second.listener.start()
    try:
        yield second
    finally:
        process.kill()
        process.join()
        second.listener.join()
        ours.close()


def _work(connection: Connection, make: Callable[[], Callable[[Task], Outcome]]) -> None:
    """The second process: answer batches until the connection closes.

    A task that fails ends it: the first process does that task again, and fails where it is seen.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts the first process alone
    gc.set_threshold(_COLLECT_EVERY, 20, 20)
    try:
        work = make()
        while True:
            connection.send([work(task) for task in connection.recv()])
    except Exception:  # noqa: BLE001  told by the first process
        connection.close()


def _processors() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
