"""What was gathered about a failure -> a report by the upstream's own issue form.

Pure. Everything that comes from the user's machine passes the redactor on its way out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from watcher.report.escape import fenced, markdown, one_line, plain
from watcher.report.issue_form import GENERAL_FORM, Asks, Field, IssueForm
from watcher.report.redact import NOTHING_PRIVATE, Private, Redactor

LOG_LIMIT: Final = 36_000
SCRIPT_LIMIT: Final = 8_000
_SETTINGS_LIMIT: Final = 8_000
"""Characters; an issue on GitHub takes 65,536."""
_FILL_IN: Final = "_Please fill in._"
_TITLE_LIMIT: Final = 120


class Similar(Struct, frozen=True, kw_only=True):
    """An issue or change that resembles the failure."""

    name: str
    """``#5995``."""
    title: str
    url: str
    state: str
    """``open issue``, ``landed 2026-05-25``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BugReport:
    """All that is known of one failure, unredacted."""

    upstream: str
    form: IssueForm = GENERAL_FORM
    summary: str = ""
    """The innermost error, or the user's first words."""
    words: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    """(what, value): pins with commits, packages, system, driver."""
    entry_points: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    """The user's own settings in force: (key, value)."""
    variables: tuple[tuple[str, str], ...] = ()
    scripts: tuple[tuple[str, str], ...] = ()
    """(path, text) of launch scripts."""
    log: str = ""
    missing: tuple[str, ...] = ()
    """What upstream will ask for and could not be read."""
    similar: tuple[Similar, ...] = ()
    known: tuple[str, ...] = ()
    """What should be tried before reporting: local causes, fixes that exist."""
    private: Private = field(default=NOTHING_PRIVATE, repr=False)


class RenderedReport(Struct, frozen=True, kw_only=True):
    """A report fit to be sent."""

    title: str
    text: str
    """Markdown."""
    removed: tuple[tuple[str, int], ...]
    """What was redacted: (kind, how often)."""
    missing: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


def render_report(report: BugReport) -> RenderedReport:
    """The report as Markdown by the upstream's form, redacted."""
    redactor = Redactor(report.private)
    parts = _Parts(report, redactor.redact)
    sections = [section for one in _with_log(report.form) for section in parts.section(one)]
    missing = tuple(map(redactor.redact, report.missing))
    known = tuple(map(redactor.redact, report.known))
    tail = [*parts.missing(missing), *parts.similar()]
    title = one_line(redactor.redact(f"{report.form.title} {report.summary}"), _TITLE_LIMIT)
    return RenderedReport(
        title=title or "(a title in a few words)",
        text="\n".join([*sections, *tail]).rstrip() + "\n",
        removed=tuple(sorted(redactor.counts.items())),
        missing=missing,
        known=known,
    )


def _with_log(form: IssueForm) -> Sequence[Field]:
    """The form's fields, each part asked for once; what no field asks for is added at the end."""
    asked = {one.asks for one in form.fields}
    fields = list(form.fields)
    if Asks.REPRODUCTION not in asked and Asks.CONFIGURATION not in asked:
        fields.append(Field(label="Reproduction", asks=Asks.REPRODUCTION))
    if Asks.ENVIRONMENT not in asked:
        fields.append(Field(label="Environment", asks=Asks.ENVIRONMENT))
    if Asks.LOG not in asked:
        fields.append(Field(label="Log", asks=Asks.LOG))
    return fields


class _Parts:
    """Writes each part once, whichever field asks first."""

    def __init__(self, report: BugReport, redact: Callable[[str], str]) -> None:
        self._report = report
        self._redact = redact
        self._told: set[Asks] = set()

    def section(self, one: Field) -> list[str]:
        """Heading and content of one field."""
        content = self._content(one)
        return [f"### {markdown(one.label)}", "", *content, ""]

    def _content(self, one: Field) -> list[str]:
        if one.asks is Asks.CHOICE:
            return [f"- [ ] {markdown(option)}" for option in one.options] or [_FILL_IN]
        writers = {
            Asks.ENVIRONMENT: self._environment,
            Asks.LOG: self._log,
            Asks.REPRODUCTION: self._reproduction,
            Asks.CONFIGURATION: self._reproduction,
        }
        # A form may ask for the reproduction and for the command: both are one part here.
        part = Asks.REPRODUCTION if one.asks is Asks.CONFIGURATION else one.asks
        writer = writers.get(one.asks)
        if writer is None or part in self._told:
            return [_FILL_IN]
        self._told.add(part)
        return writer() or [_FILL_IN]

    def _environment(self) -> list[str]:
        rows = [f"{name}: {value}" for name, value in self._report.environment]
        return [fenced(self._redact("\n".join(rows)))] if rows else []

    def _log(self) -> list[str]:
        if not self._report.log:
            return []
        text = fenced(self._redact(self._report.log), LOG_LIMIT + 4_000)
        return [
            "<details><summary>Log, with the workers' part</summary>",
            "",
            text,
            "",
            "</details>",
        ]

    def _reproduction(self) -> list[str]:
        report = self._report
        lines = [markdown_block(self._redact(report.words)), ""] if report.words else []
        command = [f"python -m {entry}" for entry in report.entry_points]
        settings = [f"{key}={value}" for key, value in report.settings]
        if command or settings:
            text = self._redact("\n".join([*command, *settings]))[:_SETTINGS_LIMIT]
            lines += ["Launch and the settings in force beside the defaults:", "", fenced(text), ""]
        if report.variables:
            rows = "\n".join(f"{name}={value}" for name, value in report.variables)
            lines += ["Environment variables:", "", fenced(self._redact(rows)), ""]
        for path, text in report.scripts:
            body = fenced(self._redact(text)[:SCRIPT_LIMIT])
            summary = markdown(self._redact(path))
            lines += [f"<details><summary>{summary}</summary>", "", body, "", "</details>", ""]
        return lines

    def missing(self, missing: Sequence[str]) -> list[str]:
        """What is still to be filled in by a person."""
        if not missing:
            return []
        rows = [f"- [ ] {markdown(one)}" for one in missing]
        return ["### Still missing", "", *rows, ""]

    def similar(self) -> list[str]:
        """Reports and changes that resemble this one."""
        if not self._report.similar:
            return []
        rows = [
            f"- [{markdown(one.name)}]({one.url}) {markdown(one.title)} ({markdown(one.state)})"
            for one in self._report.similar
        ]
        return ["### Similar reports and near misses", "", *rows, ""]


def markdown_block(text: str) -> str:
    """Words of several lines as literal Markdown."""
    return "\n".join(markdown(line) for line in plain(text).splitlines()) or ""


def report_json(report: BugReport, rendered: RenderedReport) -> dict[str, object]:
    """The report for programs; only redacted text leaves."""
    return {
        "schema": "watcher/1",
        "command": "bug-report",
        "upstream": report.upstream,
        "form": report.form.path or None,
        "title": rendered.title,
        "text": rendered.text,
        "missing": list(rendered.missing),
        "known": list(rendered.known),
        "similar": [
            {"name": one.name, "title": one.title, "url": one.url, "state": one.state}
            for one in report.similar
        ],
        "removed": dict(rendered.removed),
    }


def missing_parts(report: BugReport, packages: Iterable[str], *, has_driver: bool) -> list[str]:
    """What upstream will ask for and nobody could read, a phrase each."""
    named = set(packages)
    found: list[str] = []
    if not report.log:
        found.append("the whole stderr: `watcher bug-report --log FILE`")
    elif "ray" in named and "pid=" not in report.log:
        found.append(
            "the stderr of the Ray workers, from every node:"
            " /tmp/ray/session_latest/logs/worker-*.err"
        )
    if not report.entry_points and not report.scripts:
        found.append("the launch command (name the script under `usage.config`)")
    if not report.settings:
        found.append("the resolved configuration or overrides")
    if not has_driver:
        found.append("GPU model and driver (`nvidia-smi`, from the node that failed)")
    if "ray" in named:
        found.append("whether it happens without Ray, in a single process")
    if not report.words:
        found.append("what you did and what happened, in your words")
    return [*found, "what you expected", "whether it happens on the newest version, too"]
