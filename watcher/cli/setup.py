"""``watcher init``: writes a first watcher.toml and says where each line came from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.errors import ConfigError
from watcher.report.escape import one_line

if TYPE_CHECKING:
    from watcher.pipeline.init import DetectedPin


@click.command("init")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--print", "to_screen", is_flag=True, help="Print the file instead of writing it.")
@click.argument("directory", type=click.Path(file_okay=False, exists=True), default=".")
@click.pass_obj
def command(face: Face, *, force: bool, to_screen: bool, directory: str) -> int:
    """Find pins, launch scripts, configs and code, and write watcher.toml."""
    from watcher.app import detect_project
    from watcher.pipeline.init import render_config

    root = Path(directory).resolve()
    target = Path(face.config).resolve() if face.config else root / "watcher.toml"
    if not (force or to_screen):
        _refuse_second(target, root)
    result = detect_project(root, os.environ)
    text = render_config(result)
    if to_screen:
        click.echo(text, nl=False)
        return 0
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        what = f"cannot be written: {error.strerror}"
        raise ConfigError(
            what, where=str(target), mend="choose another place by --config"
        ) from error
    for pin in result.pins:
        face.note(_pin_line(pin))
    click.echo(f"Wrote {target}. Next: `watcher sync`, then `watcher list`.")
    return 0


def _refuse_second(target: Path, root: Path) -> None:
    """A new file would go before the configuration that a project has. Raises ConfigError."""
    from watcher.settings import find_config

    mend = "use --force or --print"
    if target.exists():
        raise ConfigError("is there already", where=str(target), mend=mend)
    found = find_config(root, _read)
    if found is not None and found.parent == root == target.parent:
        raise ConfigError("holds a configuration already", where=str(found), mend=mend)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _pin_line(pin: DetectedPin) -> str:
    return one_line(f"{pin.name}: {pin.found}", 300)
