"""``watcher list``: what the pins lack, most likely to bite first."""

from __future__ import annotations

import click

from watcher.cli.face import Face, exit_status
from watcher.cli.options import reading_options
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.report.answer import Answer
from watcher.report.escape import one_line

DEFAULT_LIMIT = 30


@click.command("list")
@reading_options
@click.option("--pin", "pins", multiple=True, help="Only this pin.")
@click.option("--tier", "tiers", multiple=True, type=click.Choice([one.value for one in Tier]))
@click.option("--kind", "kinds", multiple=True, type=click.Choice([one.value for one in Kind]))
@click.option(
    "--presence", "presences", multiple=True, type=click.Choice([one.value for one in Presence])
)
@click.option("--all", "everything", is_flag=True, help="Lift every filter that is not given.")
@click.pass_obj
def command(
    face: Face,
    *,
    as_json: bool,
    at: tuple[str, ...],
    as_of: tuple[str, ...],
    limit: int | None,
    fail_on: str | None,
    allow_stale: bool,
    pins: tuple[str, ...],
    tiers: tuple[str, ...],
    kinds: tuple[str, ...],
    presences: tuple[str, ...],
    everything: bool,
) -> int:
    """List fixes, issues and advisories that the pins lack."""
    from watcher.pipeline.listing import ListFilter

    default = None if as_json or everything else DEFAULT_LIMIT
    which = ListFilter(
        tiers=frozenset(Tier(one) for one in tiers),
        kinds=frozenset(Kind(one) for one in kinds),
        presences=frozenset(Presence(one) for one in presences),
        everything=everything,
        limit=limit or default,
    )
    moves = face.moves(at, as_of)
    answer = face.app.list(which, moves=moves, names=face.names(pins))
    if as_json:
        face.print_answer_json(face.app.with_routes(answer, moves))
    else:
        _print(face, answer)
    return exit_status(answer, fail_on=fail_on, allow_stale=allow_stale)


def _print(face: Face, answer: Answer) -> None:
    from rich.text import Text

    from watcher.cli.render import print_collapsed, print_items, print_searched
    from watcher.report.headline import unanswerable

    print_items(face.console, answer.items)
    if not answer.items:
        face.console.print(Text(one_line(unanswerable(answer) or "Nothing to show.", 400)))
    print_collapsed(face.console, answer)
    print_searched(face.console, answer)
