"""``watcher usage``: what was understood of the user's configuration and code, and what was not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.report.escape import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from watcher.usage.describe import Description

_SETTINGS_SHOWN = 40


@click.command("usage")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--all", "everything", is_flag=True, help="Print every setting and package.")
@click.pass_obj
def command(face: Face, *, as_json: bool, everything: bool) -> int:
    """Show what was understood of what you run, with the line that says so."""
    from watcher.usage.describe import describe

    pins = face.app.pinned()
    described = describe(face.app.user(pins).usage)
    if as_json:
        face.print_json({"schema": "watcher/1", "command": "usage", **described})
    else:
        _print(face.console, described, everything=everything)
    return 0


def _print(console: Console, told: Mapping[str, Description], *, everything: bool) -> None:
    scale = [
        f"{told[key]} {noun}" for key, noun in (("gpus", "GPUs"), ("nodes", "nodes")) if told[key]
    ]
    hardware = [str(told["hardware"])] if told["hardware"] else []
    _section(console, "Runs on", [", ".join([*hardware, *scale])] if hardware or scale else [])
    _section(console, "Starts at", [str(one) for one in _rows(told["entry_points"])])
    _section(console, "Has", [_facet(one) for one in _tables(told["facets_on"])])
    _section(console, "Rules out", [_facet(one) for one in _tables(told["facets_off"])])
    settings = [_setting(one) for one in _tables(told["settings"])]
    shown = settings if everything else settings[:_SETTINGS_SHOWN]
    _section(console, "Settings, most telling first", shown)
    if len(shown) < len(settings):
        console.print(f"  ... {len(settings) - len(shown)} more (--all)")
    console.print(f"  {told['defaults']} further settings come from the upstreams' defaults")
    _section(console, "Code", [_code(one) for one in _tables(told["code"])])
    names = [f"{one['name']}={one['value']}" for one in _tables(told["environment"])]
    _section(console, "Environment", names)
    packages = [f"{one['name']} {one['version']}" for one in _tables(told["packages"])]
    _section(console, "Packages", packages if everything else packages[:0])
    if packages and not everything:
        console.print(f"Packages: {len(packages)} known (--all)")
    _section(console, "Keywords", [str(one) for one in _rows(told["keywords"])])
    _section(console, "Upstream files you rely on", [str(one) for one in _rows(told["paths"])])
    refused = [f"{one['where']}: {one['reason']}" for one in _tables(told["not_understood"])]
    _section(console, "Not understood", refused)


def _section(console: Console, title: str, lines: Iterable[str]) -> None:
    from rich.text import Text

    lines = list(lines)
    if lines:
        console.print(Text(title, style="bold"))
        for line in lines:
            console.print(Text(f"  {one_line(line, 300)}"))


def _rows(value: Description) -> list[Description]:
    return list(value) if isinstance(value, list) else []


def _tables(value: Description) -> list[Mapping[str, Description]]:
    return [one for one in _rows(value) if isinstance(one, Mapping)]


def _facet(one: Mapping[str, Description]) -> str:
    return f"{one.get('name')}  ({one.get('detail')}, {one.get('where')})"


def _setting(one: Mapping[str, Description]) -> str:
    marks = "" if one.get("departs") else "  as by default"
    return f"{one.get('key')}={one.get('value')}  ({one.get('where')}){marks}"


def _code(one: Mapping[str, Description]) -> str:
    symbol = f".{one['symbol']}" if one.get("symbol") else ""
    return f"{one.get('kind')} {one.get('module')}{symbol}  ({one.get('where')})"
