"""``watcher demo``: the whole tool on an embedded example, in seconds and without a network."""

from __future__ import annotations

import os
from pathlib import Path

import click

from watcher.cli.face import Face

_STORY = """\
The example: you train with three GPUs on rltrain v1.1.0, FSDP2, the actor offloaded to host memory.
Your rollouts come out garbled. Upstream broke it in #12, titled a feature, and mended it in #17."""

_SYMPTOM = "garbled output fsdp2 cpu offload 3 gpus"


@click.command("demo")
@click.option("--keep", type=click.Path(file_okay=False), help="Keep the example in this folder.")
@click.pass_obj
def command(face: Face, *, keep: str | None) -> int:
    """Run sync, pins, list, show and check on a small made-up upstream."""
    from watcher.demonstration import example

    face.console.print(_STORY)
    with example(os.environ, None if keep is None else Path(keep)) as app:
        face.__dict__["app"] = app
        _tour(face)
    if keep is not None:
        click.echo(f"\nKept in {keep}: try `watcher --config {keep}/project/watcher.toml list`.")
    return 0


def _tour(face: Face) -> None:
    for title, arguments in (
        ("watcher sync", ["sync"]),
        ("watcher pins", ["pins"]),
        (f'watcher check "{_SYMPTOM}" --limit 2', ["check", _SYMPTOM, "--limit", "2"]),
        ("watcher list", ["list"]),
        ("watcher show rltrain#17", ["show", "rltrain#17"]),
        ("watcher list --at rltrain=v1.0.0", ["list", "--at", "rltrain=v1.0.0"]),
        ("watcher upgrade rltrain", ["upgrade", "rltrain"]),
        ("watcher digest --dry-run", ["digest", "--dry-run"]),
    ):
        _run(face, title, arguments)


def _run(face: Face, title: str, arguments: list[str]) -> None:
    from rich.text import Text

    from watcher.cli.main import cli

    face.console.print()
    face.console.print(Text(f"$ {title}", style="bold green"))
    name, *rest = arguments
    command = cli.get_command(click.Context(cli), name)
    if command is not None:
        command.main(rest, prog_name=f"watcher {name}", standalone_mode=False, obj=face)
