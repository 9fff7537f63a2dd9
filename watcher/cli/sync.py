"""``watcher sync``: bring mirrors and facts up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.report.answer import timestamp
from watcher.report.escape import one_line
from watcher.report.words import count, day, short, size_phrase

if TYPE_CHECKING:
    from watcher.pipeline.sync import SyncResult
    from watcher.pipeline.sync_all import FailedSync


@click.command("sync")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(face: Face, *, as_json: bool) -> int:
    """Fetch what is new upstream and read it into the store."""
    from watcher.cli.progress import TerminalProgress

    with TerminalProgress(is_quiet=face.is_quiet or as_json) as progress:
        results = face.app.sync(progress)
    if as_json:
        face.print_json(
            {
                "schema": "watcher/1",
                "command": "sync",
                "upstreams": [result_json(one) for one in results],
            }
        )
    else:
        for one in results:
            click.echo(result_line(one), err=not _is_good(one))
            for line in missing_lines(one):
                face.note(f"  {line}")
    unresolved = face.app.unresolved_pins()
    for pin in unresolved:
        face.note(one_line(f"{pin.name}: {pin.reason} ({pin.mend})", 500))
    return 0 if all(_is_good(one) for one in results) and not unresolved else 1


def _is_good(one: SyncResult | FailedSync) -> bool:
    return not hasattr(one, "error")


def result_line(one: SyncResult | FailedSync) -> str:
    """One line for an upstream."""
    from watcher.pipeline.sync import SyncResult

    if not isinstance(one, SyncResult):
        return one_line(f"{one.upstream}: {one.error}", 500)
    new = count(one.new_changes, "new change") if one.new_changes else "nothing new"
    known = f"known up to {day(one.walk.head_at)} ({short(one.walk.head)})"
    return one_line(f"{one.upstream}: {new}, {known}{_cost(one.fetched_bytes)}")


def _cost(fetched_bytes: int) -> str:
    """What came over the line; nothing when nothing came."""
    return f", {size_phrase(fetched_bytes)} fetched" if fetched_bytes else ""


def result_notes(one: SyncResult | FailedSync) -> list[str]:
    """What else there is to tell of an upstream."""
    from watcher.pipeline.sync import SyncResult

    if not isinstance(one, SyncResult):
        return []
    return [*(one_line(note, 400) for note in one.notes), *missing_lines(one)]


def missing_lines(one: SyncResult | FailedSync) -> list[str]:
    """Refs that could not be had, a line each; notes were told while the work went on."""
    refs = getattr(one, "missing_refs", ())
    return [one_line(f"{ref}: {reason}", 400) for ref, reason in refs]


def result_json(one: SyncResult | FailedSync) -> dict[str, object]:
    """An upstream's outcome as JSON."""
    from watcher.pipeline.sync import SyncResult

    if not isinstance(one, SyncResult):
        return {"upstream": one.upstream, "error": str(one.error)}
    return {
        "upstream": one.upstream,
        "error": None,
        "new_changes": one.new_changes,
        "restarted": one.restarted or None,
        "head": one.walk.head,
        "known_until": timestamp(one.walk.head_at),
        "synced_at": timestamp(one.walk.synced_at),
        "fetched_bytes": one.fetched_bytes,
        "notes": result_notes(one),
    }
