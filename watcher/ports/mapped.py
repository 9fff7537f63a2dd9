"""Work on many things that do not depend on each other. A declaration, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


class Mapped(Protocol):
    """``map`` for work that may be done elsewhere, such as in a second process."""

    def __call__(
        self, make: Callable[[], Callable[[Task], Outcome]], tasks: Iterable[Task], *, expected: int
    ) -> Iterator[Outcome]:
        """Outcomes in the order of the tasks, which are taken as the work goes on.

        ``expected`` is about how many there will be. ``make`` gives the function that is mapped,
        once in each place; it, the tasks and the outcomes can be pickled, and the function is
        pure: a task may be done twice.
        """
        ...
