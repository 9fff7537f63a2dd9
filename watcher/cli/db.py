"""``watcher db``: look after the store."""

from __future__ import annotations

from pathlib import Path

import click

from watcher.cli.face import Face
from watcher.report.words import size_phrase


@click.group("db")
def command() -> None:
    """Look after the store: where it is, bring it up to date, copy it."""


@command.command("info")
@click.pass_obj
def info(face: Face) -> int:
    """Show where the store is and what it holds."""
    state = face.app.store_state()
    size = "" if state.size_bytes is None else f", {size_phrase(state.size_bytes)}"
    click.echo(f"{state.address}{size}\nschema {state.revision}")
    for upstream in face.app.upstreams:
        walk = face.app.store.walk(upstream)
        click.echo(f"{upstream}: " + ("never synced" if walk is None else f"at {walk.head[:9]}"))
    return 0


@command.command("upgrade")
@click.pass_obj
def upgrade(face: Face) -> int:
    """Bring the schema up to date; a copy is made first."""
    click.echo(f"The store is at schema {face.app.store_state().revision}.")
    return 0


@command.command("backup")
@click.argument("target", type=click.Path(dir_okay=False))
@click.pass_obj
def backup(face: Face, *, target: str) -> int:
    """Copy an SQLite store, also while others use it."""
    face.app.copy_store(Path(target))
    click.echo(f"Copied to {target}.")
    return 0
