"""What every command needs from the terminal: the application, a console, a way to print JSON.

The application is built on first use, so that ``--help`` and ``demo`` need no configuration.
"""

from __future__ import annotations

import json
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from watcher.errors import UsageError
from watcher.facts.item import Tier
from watcher.report.answer import answer_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from watcher.app import App
    from watcher.pipeline.pinned import Moves
    from watcher.report.answer import Answer


class Face:
    """One invocation's terminal and application."""

    def __init__(self, *, config: str | None, has_color: bool, is_quiet: bool) -> None:
        self.config = config
        self.has_color = has_color
        self.is_quiet = is_quiet

    @cached_property
    def app(self) -> App:
        """The application wired from the configuration file and the environment."""
        from watcher.app import open_app

        return open_app(None if self.config is None else Path(self.config))

    @cached_property
    def console(self) -> Console:
        """Where results go. Markup is never interpreted: titles are strangers' text."""
        from rich.console import Console

        return Console(
            no_color=not self.has_color or None,
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=not sys.stdout.isatty(),  # files and pipes get whole lines
        )

    def moves(self, at: Sequence[str], as_of: Sequence[str]) -> Moves:
        """What ``--at`` and ``--as-of`` say. Raises UsageError."""
        from watcher.pipeline.pinned import Moves

        return Moves.parse(at, as_of, [pin.name for pin in self.app.settings.pins])

    def refs(self, texts: Sequence[str], option: str) -> dict[str, str]:
        """``[PIN=]REF`` of an option by pin name. Raises UsageError."""
        from watcher.pipeline.pinned import parse_refs

        return parse_refs(texts, option, self.app.pin_names)

    def names(self, pins: Sequence[str]) -> Sequence[str]:
        """The same names, each one known. Raises UsageError."""
        known = [pin.name for pin in self.app.settings.pins]
        for name in pins:
            if name not in known:
                mend = f"the pins are {', '.join(known) or 'none'}"
                raise UsageError(f"no pin is named `{name}`", where="--pin", mend=mend)
        return pins

    def one_pin(self, name: str | None, *, where: str) -> str:
        """The pin named, or the only one there is. Raises UsageError."""
        known = self.app.pin_names
        if name is None and len(known) == 1:
            return known[0]
        if name is None or name not in known:
            what = "which pin is meant" if name is None else f"no pin is named `{name}`"
            mend = f"the pins are {', '.join(known) or 'none'}"
            raise UsageError(what, where=where, mend=mend)
        return name

    def note(self, line: str) -> None:
        """A line beside the results, on standard error; none with ``--quiet``."""
        if not self.is_quiet:
            click.echo(line, err=True)

    def print_json(self, document: object) -> None:
        """A JSON document on standard output."""
        json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")

    def print_answer_json(self, answer: Answer) -> None:
        """An answer by the contract on standard output."""
        self.print_json(answer_json(answer))


def exit_status(answer: Answer, *, fail_on: str | None, allow_stale: bool) -> int:
    """1 for a stale or unresolved answer, 3 for items at or above ``--fail-on``, else 0.

    A pin that was never synced is unresolved because it is stale: ``allow_stale`` is for it too.
    """
    unresolved = any(pin.reason and pin.synced_at is not None for pin in answer.pins)
    if unresolved or (answer.is_stale and not allow_stale):
        return 1
    if fail_on is None:
        return 0
    limit = Tier(fail_on).rank
    found = any(item.tier is not None and item.tier.rank <= limit for item in answer.items)
    return 3 if found else 0
