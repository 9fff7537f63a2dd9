"""``watcher ack``: note that somebody knows of an item and deals with it."""

from __future__ import annotations

import click

from watcher.cli.face import Face
from watcher.cli.ignore import person
from watcher.report.escape import one_line


@click.command("ack")
@click.argument("item")
@click.option("--reason", default="", help="What is done about it, such as a workaround.")
@click.pass_obj
def command(face: Face, *, item: str, reason: str) -> int:
    """Acknowledge ITEM: it stays in lists, and the digest says when a workaround may go."""
    from watcher.pipeline.decisions import Wish

    decision = face.app.acknowledge(item, Wish(reason=reason, by=person()))
    click.echo(one_line(f"{decision.item} is acknowledged."))
    return 0
