"""Work shared with a second process: the same outcomes in the same order, whoever vanishes."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from watcher.adapters.second_process import WORTH, mapped_apart

MANY = WORTH * 3

pytestmark = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="shared only where there are two processors"
)


def squaring() -> Callable[[int], tuple[int, int]]:
    return lambda number: (number * number, os.getpid())


def vanishing(first: int, after: int) -> Callable[[int], int]:
    def work(number: int) -> int:
        if os.getpid() != first and number >= after:
            os._exit(1)
        return number + 1

    return work


def failing(number: int) -> Callable[[int], int]:
    return lambda task: 1 // (task - number)


def large() -> Callable[[bytes], bytes]:
    return bytes.swapcase


def test_outcomes_come_in_order_from_both_processes() -> None:
    outcomes = list(mapped_apart(squaring, range(MANY), expected=MANY))

    assert [square for square, _ in outcomes] == [number * number for number in range(MANY)]
    assert len({process for _, process in outcomes}) == 2


def test_a_few_tasks_start_no_process() -> None:
    outcomes = mapped_apart(squaring, range(MANY), expected=WORTH - 1)

    assert {process for _, process in outcomes} == {os.getpid()}


def test_tasks_larger_than_any_pipe_pass() -> None:
    tasks = [bytes([65 + number % 26]) * 300_000 for number in range(WORTH)]

    assert list(mapped_apart(large, tasks, expected=WORTH)) == [task.lower() for task in tasks]


@pytest.mark.parametrize("after", [0, 5, 40, MANY - 1])
def test_a_second_process_that_vanishes_costs_nothing_but_time(after: int) -> None:
    make = partial(vanishing, os.getpid(), after)

    outcomes = list(mapped_apart(make, range(MANY), expected=MANY))

    assert outcomes == list(range(1, MANY + 1))


@pytest.mark.parametrize("number", [0, 3, MANY - 1])
def test_a_task_that_fails_fails_here(number: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(mapped_apart(partial(failing, number), range(MANY), expected=MANY))

    assert multiprocessing.active_children() == []


def test_a_failing_source_of_tasks_ends_the_process() -> None:
    def tasks() -> Iterator[int]:
        yield from range(40)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(mapped_apart(squaring, tasks(), expected=MANY))

    assert multiprocessing.active_children() == []


def test_a_reader_that_stops_early_ends_the_process() -> None:
    outcomes = mapped_apart(squaring, range(10**9), expected=MANY)
    next(outcomes)

    outcomes.close()

    assert multiprocessing.active_children() == []


ENDLESS = """
import os, sys
from tests.adapters.test_second_process import squaring
from watcher.adapters.second_process import mapped_apart

outcomes = mapped_apart(squaring, iter(int, 1), expected=10**9)  # kept: dropped, it ends
for _, process in outcomes:
    if process != os.getpid():
        print(process, flush=True)
        break
sys.stdin.read()
"""


def test_the_second_process_ends_with_the_first() -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    second = os.pidfd_open(int(first.stdout.readline()))

    first.send_signal(signal.SIGKILL)
    first.communicate()
    ended, _, _ = select.select([second], [], [], 30)

    os.close(second)
    assert ended == [second]
