"""Options that several commands share, and what they mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from watcher.facts.item import Tier

Command = TypeVar("Command", bound=Callable[..., Any])
_TIERS = [tier.value for tier in Tier]


def reading_options(function: Command) -> Command:
    """``--json``, ``--at``, ``--as-of``, ``--limit``, ``--fail-on``, ``--allow-stale``."""
    for option in reversed(
        (
            click.option("--json", "as_json", is_flag=True, help="Print JSON."),
            click.option("--at", multiple=True, metavar="PIN=REF", help="Answer for another pin."),
            click.option(
                "--as-of",
                multiple=True,
                metavar="[PIN=]REF|DATE",
                help="Answer as if nothing had happened since.",
            ),
            click.option("--limit", type=click.IntRange(min=1), help="Show at most so many items."),
            click.option("--fail-on", type=click.Choice(_TIERS), help="Exit 3 when found."),
            click.option("--allow-stale", is_flag=True, help="Old knowledge is no failure."),
        )
    ):
        function = option(function)
    return function
