"""An item's report as titled sections of plain lines, for the terminal and for Markdown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from watcher.facts.diff import TouchedFile
from watcher.report.escape import fenced, markdown, one_line, plain
from watcher.report.item_report import ItemReport
from watcher.report.words import landed_phrase

_PATCH_LINES = 120


class Section(Struct, frozen=True):
    """A title with its lines; ``is_code`` lines are shown as they stand."""

    title: str
    lines: tuple[str, ...]
    is_code: bool = False
    is_exact: bool = False
    """True for lines that must not be broken: commands and code."""


def sections_of(report: ItemReport) -> list[Section]:
    """The sections that have something to say, in reading order."""
    item = report.item
    weights = [f"{one.weight:+.2f}  {one.detail}" for one in item.evidence]
    if item.score is not None and weights:
        weights.append(
            f"{item.constant:+.2f}  for every change; together the score {item.score:.2f}"
        )
    state = [f"Presence: {item.presence.value}. {item.presence_detail}."]
    if item.introduced_by:
        state.append(f"Brought by: {item.introduced_by}.")
    told = dict(item.extra)
    if "family_state" in told:
        state.append(f"Of this family {told['family_state']}.")
    if told.get("tier_reason", item.presence_detail) != item.presence_detail:
        state.append(f"Tier: {told['tier_reason']}.")
    sections = [
        Section("For your pin", (report.action, *state)),
        Section("Routes", tuple(_route_lines(report)), is_exact=True),
        Section("Why", tuple(report.motivation.splitlines())),
        Section("Error", (report.error,) if report.error else ()),
        Section("Why it may concern you", tuple(weights)),
        Section("Files", tuple(_file_line(one) for one in report.files[:30])),
        Section("Functions", report.symbols),
        Section("Settings read", report.settings),
        Section("Risks", report.risks),
        Section("Unresolved review remarks", report.remarks),
        Section("One bug, several mends", report.family),
        Section("Related", report.related),
        Section("Issues", report.issues),
        Section("Held by", report.holders),
        Section("The verdict rests on", report.lines),
        Section(
            "Timeline",
            tuple(f"{one.at}  {one.what}{'  <-' if one.is_pin else ''}" for one in report.timeline),
        ),
        Section("Hunks", _hunk_lines(report.patch), is_code=True, is_exact=True),
    ]
    return [one for one in sections if any(line.strip() for line in one.lines)]


def report_markdown(report: ItemReport) -> str:
    """The report as Markdown; upstream's text is literal."""
    parts = [f"# {markdown(report.summary)}", markdown(landed_phrase(report.item))]
    if report.item.url:
        parts.append(f"<{report.item.url}>")
    for section in sections_of(report):
        parts.append(f"## {section.title}")
        if section.is_code or section.title == "Error":
            parts.append(fenced("\n".join(section.lines)))
        elif section.title == "Why":
            parts.append("\n".join(f"> {markdown(line)}" for line in section.lines))
        else:
            parts.append("\n".join(f"- {markdown(line)}" for line in section.lines))
    return "\n\n".join(part for part in parts if part) + "\n"


def report_json(report: ItemReport) -> dict[str, object]:
    """What a report holds beside its item."""
    return {
        "summary": report.summary,
        "action": report.action,
        "motivation": plain(report.motivation),
        "error": plain(report.error),
        "files": [
            {
                "path": one.path,
                "role": one.role.value,
                "added": one.added,
                "removed": one.removed,
                "functions": list(one.functions),
                "omitted": one.omitted,
            }
            for one in report.files
        ],
        "symbols": list(report.symbols),
        "settings": list(report.settings),
        "remarks": [plain(one) for one in report.remarks],
        "risks": list(report.risks),
        "affected": list(report.affected),
        "not_affected": list(report.not_affected),
        "family": list(report.family),
        "related": list(report.related),
        "issues": list(report.issues),
        "holders": list(report.holders),
        "lines": list(report.lines),
        "timeline": [
            {"at": one.at, "what": one.what, "is_pin": one.is_pin} for one in report.timeline
        ],
        "patch": plain(report.patch),
    }


def _hunk_lines(patch: str) -> tuple[str, ...]:
    """The patch without object names, the first lines of it."""
    lines = [line for line in patch.splitlines() if not line.startswith("index ")]
    return tuple(lines[:_PATCH_LINES])


def _file_line(file: TouchedFile) -> str:
    told = f"{file.path}  +{file.added} -{file.removed}  {file.role.value}"
    names = f"  ({', '.join(file.functions[:8])})" if file.functions else ""
    omitted = f"  [diff not read: {file.omitted}]" if file.omitted else ""
    return one_line(told + names + omitted, 300)


def _route_lines(report: ItemReport) -> Sequence[str]:
    lines = []
    for route in report.item.routes:
        rebuild = "; rebuild after it" if route.rebuild else ""
        lines.append(f"{route.kind.value}: {route.detail}{rebuild}")
        lines += [f"  {command}" for command in route.commands]
        lines += [f"  note: {warning}" for warning in route.warnings]
    return lines
