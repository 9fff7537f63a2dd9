"""``watcher upgrade PIN``: what each later release and the head would bring, and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from watcher.cli.face import Face, exit_status
from watcher.cli.options import reading_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from watcher.report.answer import Answer
    from watcher.report.upgrade import TargetReport, Upgrade

DEFAULT_LIMIT: Final = 20
_LISTED: Final = 5
"""Items that a target's section names before the rest is only counted."""


@click.command("upgrade")
@click.argument("pin", required=False)
@reading_options
@click.pass_obj
def command(
    face: Face,
    *,
    pin: str | None,
    as_json: bool,
    at: tuple[str, ...],
    as_of: tuple[str, ...],
    limit: int | None,
    fail_on: str | None,
    allow_stale: bool,
) -> int:
    """Compare the pin with later releases and the head: fixes gained, bugs caught, the price."""
    name = face.one_pin(pin, where="upgrade")
    default = None if as_json else DEFAULT_LIMIT
    answer, upgrade = face.app.upgrade(name, moves=face.moves(at, as_of), limit=limit or default)
    if as_json:
        from watcher.report.upgrade import upgrade_json

        face.print_json(upgrade_json(answer, [upgrade]))
    else:
        _print(face, answer, upgrade)
    return exit_status(answer, fail_on=fail_on, allow_stale=allow_stale)


def _print(face: Face, answer: Answer, upgrade: Upgrade) -> None:
    from rich.text import Text

    from watcher.cli.render import item_head, print_searched
    from watcher.report.escape import one_line
    from watcher.report.upgrade import advise

    console = face.console
    console.print(Text(advise(upgrade), style="bold"))
    if upgrade.targets:
        _print_table(face, upgrade)
    told: set[str] = set()
    for target in upgrade.targets:
        _print_target(face, target, told)
    if upgrade.picks.commands:
        title = "Patch the package instead" if upgrade.picks.as_patches else "Cherry-pick instead"
        console.print()
        console.print(Text(title, style="bold cyan"))
        console.print(Text(f"  {', '.join(upgrade.picks.items)}"))
        for line in upgrade.picks.commands:
            console.print(Text(f"  {line}"), soft_wrap=True)
        if upgrade.picks.rebuild:
            console.print(Text("  touches compiled code: rebuild after it", style="yellow"))
    if answer.items:
        console.print()
        console.print(Text("Gained", style="bold cyan"))
        for item in answer.items:
            since = dict(item.extra).get("gained_in", "")
            console.print(item_head(item, "  ").append(f"  ({one_line(since, 40)})", style="dim"))
    for reason, number in answer.collapsed:
        console.print(Text(f"  {number:,} more {reason}: raise --limit", style="dim"))
    print_searched(console, answer)


def _print_table(face: Face, upgrade: Upgrade) -> None:
    from rich.table import Table
    from rich.text import Text

    from watcher.facts.item import Tier

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("target")
    for title in ("changes", "likely", "possible", "caught", "reverts", "breaking", "bound"):
        table.add_column(title, justify="right")
    smallest = upgrade.smallest
    for one in upgrade.targets:
        is_best = smallest is not None and smallest.sha == one.sha
        numbers = (
            one.distance,
            one.count_gained(Tier.LIKELY),
            one.count_gained(Tier.POSSIBLE),
            len(one.caught),
            len(one.reverts),
            len(one.breaking),
            len(one.bound),
        )
        style = "bold" if is_best else ""
        cells = [Text(f"{number:,}", style=style) for number in numbers]
        table.add_row(Text(_label(one) + (" *" if is_best else ""), style=style), *cells)
    face.console.print(table)


def _print_target(face: Face, target: TargetReport, told: set[str]) -> None:
    """The price of one target, without what was told of an earlier one, and how to move there."""
    from rich.text import Text

    from watcher.report.escape import one_line

    caught = [f"{one.id} {one.title} ({one.presence_detail})" for one in target.caught]
    lines = [
        *_lines("newly caught", caught),
        *_lines("takes away", [f"{one.id} {one.title}" for one in target.reverts]),
        *_lines("breaking", [f"{one.id} {one.title}" for one in target.breaking]),
        *(f"bound: {one}" for one in target.bound),
    ]
    face.console.print()
    face.console.print(Text(_label(target), style="bold cyan"))
    for line in lines:
        if line not in told:
            face.console.print(Text(f"  {one_line(line, 240)}"))
    told.update(lines)
    for command_line in target.commands:
        face.console.print(Text(f"  {command_line}"), soft_wrap=True)
    if target.rebuild:
        face.console.print(Text("  compiled code changes on the way: rebuild", style="yellow"))


def _lines(what: str, told: Sequence[str]) -> list[str]:
    lines = [f"{what}: {one}" for one in told[:_LISTED]]
    if len(told) > _LISTED:
        lines.append(f"{what}: {len(told) - _LISTED} more; `--json` lists all")
    return lines


def _label(target: TargetReport) -> str:
    from watcher.report.escape import one_line
    from watcher.report.words import short

    name = one_line(target.name, 40)
    return f"{name} ({short(target.sha)})" if target.is_head else name
