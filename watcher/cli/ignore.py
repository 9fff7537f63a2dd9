"""``watcher ignore``: put an item aside, or show what was decided about which items."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.report.answer import timestamp
from watcher.report.escape import one_line
from watcher.report.words import day

if TYPE_CHECKING:
    from watcher.pipeline.decisions import Ruling


@click.command("ignore")
@click.argument("item", required=False)
@click.option("--reason", default="", help="Why: it is shown wherever the item would be.")
@click.option("--until", metavar="DATE|released|pin-moves", help="When to bring it back.")
@click.option("--history", is_flag=True, help="Show every decision ever made, oldest first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    face: Face,
    *,
    item: str | None,
    reason: str,
    until: str | None,
    history: bool,
    as_json: bool,
) -> int:
    """Put ITEM aside, for good or until something happens; without ITEM show all decisions."""
    from watcher.pipeline.decisions import Wish, parse_until

    if item is not None:
        end = parse_until(until, face.app.clock.now().date())
        face.app.ignore(item, Wish(reason=reason, until=end, by=person()))
    decided = face.app.past_rulings() if history else list(face.app.rulings().values())
    if as_json:
        told = [ruling_json(one) for one in decided]
        face.print_json({"schema": "watcher/1", "command": "ignore", "decisions": told})
        return 0
    for one in decided:
        click.echo(ruling_line(one))
    if not decided:
        click.echo("Nothing is ignored or acknowledged.")
    return 0


def person() -> str | None:
    """Who sits at this terminal, as far as the environment tells."""
    return os.environ.get("SUDO_USER") or os.environ.get("USER") or None


def ruling_line(ruling: Ruling) -> str:
    """One line for a decision."""
    line = f"{ruling.item} {ruling.phrase}"
    if ruling.at is not None:
        line += f", {day(ruling.at)}"
    if ruling.ended is not None:
        line += f"; back again: {ruling.ended}"
    return one_line(line, 500)


def ruling_json(ruling: Ruling) -> dict[str, object]:
    """A decision as JSON."""
    return {
        "id": ruling.item,
        "state": ruling.state.value,
        "reason": ruling.reason,
        "until": ruling.until,
        "by": ruling.by,
        "at": timestamp(ruling.at),
        "ended": ruling.ended,
    }
