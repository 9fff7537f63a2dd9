"""``watcher evaluate``: the ranker, the verdicts and the list, measured on recorded cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from watcher.cli.face import Face
from watcher.errors import UsageError
from watcher.report.escape import one_line


@click.command("evaluate")
@click.argument("cases", type=click.Path(dir_okay=False))
@click.option("--mode", default="full", help="full, words, log or the name of a variant.")
@click.option("--baseline", is_flag=True, help="Measure plain BM25 beside the ranker.")
@click.option("--presence", "of_presence", is_flag=True, help="The cases are (pin, fix) pairs.")
@click.option("--code-only", is_flag=True, help="Leave out the origins that authors name.")
@click.option("--usage", "of_usage", is_flag=True, help="The cases are launch configurations.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    face: Face,
    *,
    cases: str,
    mode: str,
    baseline: bool,
    of_presence: bool,
    code_only: bool,
    of_usage: bool,
    as_json: bool,
) -> int:
    """Measure the tool on recorded cases, your team's own included."""
    from watcher.cli.progress import TerminalProgress

    try:
        text = Path(cases).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("cannot be read", where=cases, mend="name a JSON-lines file") from error
    with TerminalProgress(is_quiet=face.is_quiet or as_json) as progress:
        evaluator = face.app.evaluator(progress)
        if of_presence:
            told = evaluator.presence(text, where=cases, code_only=code_only)
        elif of_usage:
            told = evaluator.usage(text, where=cases, assessor_for=face.app.assessor_of_case)
        else:
            told = evaluator.incidents(text, mode, where=cases, with_baseline=baseline)
    if as_json:
        face.print_json(told)
    elif of_presence:
        _print_groups(told)
    else:
        _print_summary(told)
    return 0


def _print_summary(told: Mapping[str, object]) -> None:
    for key in ("mode", "n", "mrr", "likely_share"):
        if key in told:
            click.echo(f"{key}: {told[key]}")
    recall = told.get("recall")
    if isinstance(recall, Mapping):
        click.echo("recall: " + "  ".join(f"@{depth} {share}" for depth, share in recall.items()))
    misses = told.get("misses")
    for miss in misses if isinstance(misses, list) else []:
        line = f"  miss {miss['id']}: rank {miss['rank']}, expected {miss['expected']}"
        click.echo(one_line(f"{line}; first {miss['first']}", 200))
    baseline = told.get("baseline")
    if isinstance(baseline, Mapping):
        click.echo("plain BM25:")
        _print_summary({key: baseline[key] for key in ("n", "mrr", "recall")})


def _print_groups(told: Mapping[str, object]) -> None:
    groups = told.get("groups")
    if not isinstance(groups, Mapping):
        return
    for name, counts in groups.items():
        shown = "  ".join(f"{presence} {count}" for presence, count in counts.items() if count)
        click.echo(one_line(f"{name}: {shown}", 200))
