"""``watcher check``: ask before debugging."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import click

from watcher.cli.face import Face, exit_status
from watcher.cli.options import reading_options
from watcher.errors import UsageError
from watcher.report.answer import Answer

LONGEST_LINE: Final = 65_536
LARGEST_LOG: Final = 64 * 1024 * 1024
"""Bytes of a log that are read."""


@click.command("check")
@click.argument("words", nargs=-1)
@click.option("--log", "log", metavar="FILE|-", help="A log; - reads standard input.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting in force.")
@click.option("--usage-config", "configs", multiple=True, metavar="FILE", help="One more config.")
@click.option(
    "--last-good",
    "last_good",
    multiple=True,
    metavar="[PIN=]REF",
    help="It worked there: name what came since as suspects.",
)
@reading_options
@click.pass_obj
def command(
    face: Face,
    *,
    words: tuple[str, ...],
    log: str | None,
    settings: tuple[str, ...],
    configs: tuple[str, ...],
    last_good: tuple[str, ...],
    as_json: bool,
    at: tuple[str, ...],
    as_of: tuple[str, ...],
    limit: int | None,
    fail_on: str | None,
    allow_stale: bool,
) -> int:
    """Is this symptom known upstream? Words, a log, a traceback, in English or Chinese."""
    from watcher.pipeline.user import Asked
    from watcher.symptom.parse import parse_symptom

    with log_lines(log) as lines:
        symptom = parse_symptom(" ".join(words), lines, settings)
    if symptom.is_empty and not last_good:
        mend = "describe it in words, or give --log FILE"
        raise UsageError("nothing to look for", where="check", mend=mend)
    asked = Asked(overrides=settings, files=configs)
    moves = face.moves(at, as_of)
    goods = face.refs(last_good, "--last-good")
    answer = face.app.check(symptom, moves=moves, asked=asked, limit=limit, last_good=goods)
    if as_json:
        face.print_answer_json(face.app.with_routes(answer, moves))
    else:
        _print(face, answer)
    return exit_status(answer, fail_on=fail_on, allow_stale=allow_stale)


@contextmanager
def log_lines(log: str | None) -> Iterator[Iterator[str] | None]:
    """The lines of a log, bounded; None without one."""
    if log is None:
        yield None
    elif log == "-":
        yield _decoded(sys.stdin.buffer)
    else:
        try:
            file = Path(log).open("rb")  # noqa: SIM115  closed below; only opening is guarded here
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            raise UsageError(what, where=f"--log {log}", mend="name a readable file") from error
        with file:
            yield _decoded(file)


def _decoded(file: IO[bytes]) -> Iterator[str]:
    left = LARGEST_LOG
    while left > 0 and (line := file.readline(LONGEST_LINE)):
        left -= len(line)
        yield line.decode("utf-8", "replace")


def _print(face: Face, answer: Answer) -> None:
    from watcher.cli.render import print_check

    print_check(face.console, answer)
