"""``watcher unignore``: take a decision about an item back."""

from __future__ import annotations

import click

from watcher.cli.face import Face
from watcher.cli.ignore import person
from watcher.report.escape import one_line


@click.command("unignore")
@click.argument("item")
@click.pass_obj
def command(face: Face, *, item: str) -> int:
    """Bring ITEM back that was ignored or acknowledged."""
    face.app.unignore(item, person())
    click.echo(one_line(f"{item} is back."))
    return 0
