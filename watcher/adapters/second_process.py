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
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Final, Generic

from watcher.ports.mapped import Outcome, Task

WORTH: Final = 100
"""Tasks from which a second process costs less than it brings."""
_BATCH: Final = 8
"""Tasks sent at once."""
_AHEAD: Final = 4
"""Batches on their way beyond which this process lends a hand."""


def mapped_apart(
    make: Callable[[], Callable[[Task], Outcome]], tasks: Iterable[Task], *, expected: int
) -> Iterator[Outcome]:
    """``ports.Mapped``: here for a few tasks or with one processor, shared for many."""
    if expected < WORTH or _processors() < 2:
        return map(make(), tasks)
    return _shared(make, iter(tasks))


def _shared(
    make: Callable[[], Callable[[Task], Outcome]], tasks: Iterator[Task]
) -> Iterator[Outcome]:
    here = make()
    with _started(make) as second:
        line: deque[_Batch[Task, Outcome]] = deque()
        while some := list(islice(tasks, _BATCH)):
            batch = _Batch[Task, Outcome](some)
            line.append(batch)
            if not second.takes(batch):
                batch.work_through(here)
            second.listen()
            while line and (second.is_gone or line[0].outcomes is not None):
                yield from line.popleft().work_through(here)
        for batch in line:
            while batch.outcomes is None and not second.is_gone:
                second.listen(wait=True)
            yield from batch.work_through(here)


class _Batch(Generic[Task, Outcome]):
    """Tasks that are handed over together, and what came of them."""

    def __init__(self, tasks: list[Task]) -> None:
        self.tasks = tasks
        self.outcomes: list[Outcome] | None = None

    def work_through(self, work: Callable[[Task], Outcome]) -> list[Outcome]:
        """The outcomes, made here when they are not there yet."""
        if self.outcomes is None:
            self.outcomes = [work(task) for task in self.tasks]
        return self.outcomes


class _Second(Generic[Task, Outcome]):
    """The other process, seen from this one: two threads talk and listen, so nobody waits here."""

    def __init__(self, connection: Connection) -> None:
        self.is_gone = False
        self._connection = connection
        self._asked: deque[_Batch[Task, Outcome]] = deque()
        self._told: SimpleQueue[list[Task] | None] = SimpleQueue()
        self._heard: SimpleQueue[list[Outcome] | None] = SimpleQueue()
        self._threads = [Thread(target=work, daemon=True) for work in (self._talk, self._hear)]

    def begin(self) -> None:
        """The process runs."""
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """The process has ended."""
        self._told.put(None)
        for thread in self._threads:
            thread.join()

    def takes(self, batch: _Batch[Task, Outcome]) -> bool:
        """Hand a batch over; False when the process has enough to do, or is gone."""
        if self.is_gone or len(self._asked) >= _AHEAD:
            return False
        self._asked.append(batch)
        self._told.put(batch.tasks)
        return True

    def listen(self, *, wait: bool = False) -> None:
        """Note the answers that have come; wait for one if wanted."""
        while not self.is_gone and (wait or not self._heard.empty()):
            wait = False
            outcomes = self._heard.get()
            if outcomes is None:
                self.is_gone = True
            else:
                self._asked.popleft().outcomes = outcomes

    def _talk(self) -> None:
        with self._lost_on_failure():
            while (tasks := self._told.get()) is not None:
                self._connection.send(tasks)

    def _hear(self) -> None:
        with self._lost_on_failure():
            while True:
                self._heard.put(self._connection.recv())

    @contextmanager
    def _lost_on_failure(self) -> Iterator[None]:
        """Whatever cannot be handed over is done here: nobody waits for an answer to it."""
        try:
            yield
        except Exception:  # noqa: BLE001  EOFError and OSError, or what cannot be pickled
            self._heard.put(None)


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
    second.begin()
    try:
        yield second
    finally:
        process.kill()
        process.join()
        second.end()
        ours.close()


def _work(connection: Connection, make: Callable[[], Callable[[Task], Outcome]]) -> None:
    """The second process: answer batches until the connection closes.

    A task that fails ends it: the first process does that task again, and fails where it is seen.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts the first process alone
    gc.disable()  # it ends with the work, and what it makes holds no circles
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
