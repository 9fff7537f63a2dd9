"""``watcher doctor``: what is in order and what is not, each with its mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.report.escape import one_line

if TYPE_CHECKING:
    from watcher.doctor import Examined


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--deep", is_flag=True, help="Read every object of the mirrors, too (slow).")
@click.pass_obj
def command(face: Face, *, as_json: bool, deep: bool) -> int:
    """Check git, configuration, store, mirrors, pins and token."""
    from watcher.doctor import examine

    findings = examine(face.config, deep=deep)
    if as_json:
        rows = [
            {"what": one.what, "good": one.is_good, "detail": one.detail, "mend": one.mend or None}
            for one in findings
        ]
        face.print_json({"schema": "watcher/1", "command": "doctor", "findings": rows})
    else:
        for one in findings:
            _print(face, one)
    return 0 if all(one.is_good for one in findings) else 1


def _print(face: Face, one: Examined) -> None:
    from rich.text import Text

    line = Text("ok   " if one.is_good else "BAD  ", style="green" if one.is_good else "bold red")
    line.append(one_line(f"{one.what}: {one.detail}", 300), style="")
    face.console.print(line)
    if one.mend:
        face.console.print(Text(f"     {one_line(one.mend, 300)}", style="yellow"))
