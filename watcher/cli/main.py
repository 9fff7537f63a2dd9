"""Entry point of ``watcher``: global options, commands imported when run, errors as one line.

Exit status: 0 done, 1 failed, 2 usage or configuration, 3 found at or above ``--fail-on``.
"""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING, Final, NoReturn

import click

from watcher.errors import WatcherError
from watcher.report.escape import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "init": (
        "watcher.cli.setup",
        "Write watcher.toml: finds pins, launch scripts, configs and code.",
    ),
    "pins": ("watcher.cli.pins", "Show each pin: date, age, distance, what it already carries."),
    "usage": ("watcher.cli.usage", "Show what was understood of your configuration and code."),
    "sync": ("watcher.cli.sync", "Bring mirrors and facts up to date."),
    "list": ("watcher.cli.listing", "List what the pins lack, most likely to bite first."),
    "show": ("watcher.cli.show", "Report one item."),
    "check": ("watcher.cli.check", "Ask before debugging: is this symptom known upstream?"),
    "bug-report": (
        "watcher.cli.bug_report",
        "Print the report that upstream asks for, secrets removed.",
    ),
    "upgrade": (
        "watcher.cli.upgrade",
        "Compare later releases and the head: fixes gained, bugs caught, the price.",
    ),
    "ignore": ("watcher.cli.ignore", "Put an item aside with a reason, or show all decisions."),
    "unignore": ("watcher.cli.unignore", "Bring an ignored or acknowledged item back."),
    "ack": ("watcher.cli.ack", "Note that an item is dealt with."),
    "digest": ("watcher.cli.digest", "Compose, preview or send what is new since the last one."),
    "serve": ("watcher.cli.serve", "Run the page, the syncs and the digest in one process."),
    "evaluate": ("watcher.cli.evaluate", "Measure the ranker and the verdicts on recorded cases."),
    "mcp": ("watcher.cli.mcp", "Serve a coding agent (MCP over stdio): ask before debugging."),
    "doctor": ("watcher.cli.doctor", "Check git, configuration, store, mirrors and token."),
    "demo": ("watcher.cli.demo", "Run everything on an embedded example."),
    "db": ("watcher.cli.db", "Look after the store."),
}
"""Command -> (module that defines ``command``, help line). Help needs no import of the command."""

_COLLECT_EVERY: Final = 200_000


class LazyGroup(click.Group):
    """Imports a command's module when the command is run, and no other."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(entry[0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command table, from the help lines alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", type=click.Path(dir_okay=False), help="Use this watcher.toml.")
@click.option("--no-color", is_flag=True, help="Print without colours.")
@click.option("--quiet", "-q", is_flag=True, help="Print results only.")
@click.version_option(package_name="watcher")
@click.pass_context
def cli(ctx: click.Context, config: str | None, *, no_color: bool, quiet: bool) -> None:
    """Tells which upstream fixes your pinned verl, vLLM or PyTorch lacks, and which may bite."""
    from watcher.cli.face import Face

    ctx.obj = Face(config=config, has_color=not no_color, is_quiet=quiet)


def _usage_line(error: click.ClickException) -> str:
    """What is wrong with a command line, and where to read how it is written."""
    context = getattr(error, "ctx", None)
    command = context.command_path if isinstance(context, click.Context) else "watcher"
    return f"{error.format_message().rstrip('.')} (see `{command} --help`)"


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status; errors become one line on standard error."""
    try:
        outcome = cli.main(args=list(arguments), prog_name="watcher", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        click.echo(f"watcher: {one_line(_usage_line(error), 600)}", err=True)
        return 2
    except WatcherError as error:
        click.echo(f"watcher: {one_line(str(error), 600)}", err=True)
        return error.exit_status
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return outcome if isinstance(outcome, int) else 0


def main() -> NoReturn:
    """Console script.

    Start-up makes a hundred thousand objects that stay: collecting among them time and again, and
    once more at the end, would cost a short command a quarter of its time.
    """
    gc.set_threshold(_COLLECT_EVERY, 20, 20)
    status = run(sys.argv[1:])
    gc.freeze()
    sys.exit(status)
