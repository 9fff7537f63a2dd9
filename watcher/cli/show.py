"""``watcher show ITEM``: the report of one item."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.facts.kind import Kind
from watcher.report.escape import one_line, plain
from watcher.report.words import landed_phrase

if TYPE_CHECKING:
    from watcher.pipeline.pinned import Moves
    from watcher.report.item_report import ItemReport


@click.command("show")
@click.argument("item")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--patch", "as_patch", is_flag=True, help="Print the patch as it applies to the pin.")
@click.option("--at", multiple=True, metavar="PIN=REF", help="Answer for another pin.")
@click.option("--as-of", multiple=True, metavar="[PIN=]REF|DATE", help="As if nothing came since.")
@click.pass_obj
def command(
    face: Face,
    *,
    item: str,
    as_json: bool,
    as_markdown: bool,
    as_patch: bool,
    at: tuple[str, ...],
    as_of: tuple[str, ...],
) -> int:
    """Report one item: what it mends, whether it is yours, how to get it."""
    from watcher.report.sections import report_json, report_markdown

    if as_patch:
        _print_patch(face, item, face.moves(at, as_of))
        return 0
    answer, report = face.app.show(item, moves=face.moves(at, as_of))
    if as_json:
        from watcher.report.answer import answer_json

        face.print_json(answer_json(answer) | {"report": report_json(report)})
    elif as_markdown:
        click.echo(report_markdown(report), nl=False)
    else:
        _print(face, report)
    return 0


def _print_patch(face: Face, item: str, moves: Moves) -> None:
    """The patch, byte by byte where a program reads it, made safe on a terminal."""
    patch = face.app.patch(item, moves=moves)
    if sys.stdout.isatty():
        click.echo(plain(patch.text), nl=False)
    else:
        click.echo(patch.text.encode("utf-8", "surrogateescape"), nl=False)
    if patch.needs_build:
        face.note("touches compiled code: rebuild after it")


def _print(face: Face, report: ItemReport) -> None:
    from rich.text import Text

    from watcher.cli.render import print_items
    from watcher.report.sections import sections_of

    if report.item.kind is Kind.ADVISORY:
        print_items(face.console, (report.item,), numbered=False)
        return
    face.console.print(Text(report.summary, style="bold"))
    face.console.print(Text(one_line(landed_phrase(report.item), 200), style="dim"))
    if report.item.url:
        face.console.print(Text(report.item.url, style="dim"))
    for section in sections_of(report):
        face.console.print()
        face.console.print(Text(section.title, style="bold cyan"))
        for line in section.lines:
            style = _diff_style(line) if section.is_code else ""
            face.console.print(
                Text(f"  {plain(line)}", style=style), soft_wrap=section.is_exact or None
            )


def _diff_style(line: str) -> str:
    if line.startswith("@@"):
        return "cyan"
    if line.startswith("+") and not line.startswith("+++"):
        return "green"
    if line.startswith("-") and not line.startswith("---"):
        return "red"
    return "dim"
