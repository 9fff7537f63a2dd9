"""``watcher bug-report``: the report that upstream asks for, without secrets."""

from __future__ import annotations

import click

from watcher.cli.check import log_lines
from watcher.cli.face import Face
from watcher.errors import UsageError
from watcher.report.escape import one_line
from watcher.report.log_excerpt import KeptLog


@click.command("bug-report")
@click.argument("words", nargs=-1)
@click.option("--log", "log", metavar="FILE|-", help="The whole stderr; - reads standard input.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting in force.")
@click.option("--pin", "pin", metavar="NAME", help="Report to this pin's upstream.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    face: Face,
    *,
    words: tuple[str, ...],
    log: str | None,
    settings: tuple[str, ...],
    pin: str | None,
    as_json: bool,
) -> int:
    """Print the bug report that upstream asks for: Markdown, secrets removed, gaps listed."""
    from watcher.pipeline.user import Asked
    from watcher.report.bug_report import render_report, report_json
    from watcher.symptom.parse import parse_symptom

    kept = KeptLog()
    with log_lines(log) as lines:
        passing = None if lines is None else kept.keep(lines)
        symptom = parse_symptom(" ".join(words), passing, settings)
    if symptom.is_empty:
        mend = "describe it in words, or give --log FILE"
        raise UsageError("nothing to report", where="bug-report", mend=mend)
    if pin is not None:
        face.names([pin])
    report = face.app.bug_report(symptom, kept, pin=pin, asked=Asked(overrides=settings))
    rendered = render_report(report)
    if as_json:
        face.print_json(report_json(report, rendered))
        return 0
    click.echo(f"Title: {rendered.title}\n\n{rendered.text}", nl=False)
    for line in rendered.known:
        face.note(f"Before you send it: {one_line(line, 400)}")
    removed = ", ".join(f"{number} x {kind}" for kind, number in rendered.removed)
    face.note(f"Removed: {removed or 'nothing'}. Read it once more before you send it.")
    return 0
