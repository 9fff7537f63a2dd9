"""``watcher pins``: each pin's date, age, distance and what it already carries."""

from __future__ import annotations

import click

from watcher.cli.face import Face, exit_status
from watcher.report.answer import Answer


@click.command("pins")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--allow-stale", is_flag=True, help="Old knowledge is no failure.")
@click.pass_obj
def command(face: Face, *, as_json: bool, allow_stale: bool) -> int:
    """Show each pin: date, age, how far behind, what it already carries."""
    pins = face.app.pinned()
    answer = Answer(
        command="pins",
        generated_at=face.app.clock.now(),
        pins=tuple(face.app.statuses(pins)),
    )
    if as_json:
        face.print_answer_json(answer)
    else:
        from watcher.cli.render import print_pins

        print_pins(face.console, answer)
    return exit_status(answer, fail_on=None, allow_stale=allow_stale)
