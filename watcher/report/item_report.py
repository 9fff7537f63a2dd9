"""A change and what is known of it -> the report that a reviewer would write, computed.

Pure; no language model. Sentences are built from facts, quotes are the authors' own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.diff import Role, TouchedFile
from watcher.facts.issue import Issue
from watcher.facts.item import Item, Route
from watcher.facts.kind import Kind
from watcher.facts.links import Links
from watcher.facts.presence import Presence
from watcher.report.escape import one_line
from watcher.report.words import day

_ERROR: Final = re.compile(
    r"^[ \t>`|]*((?:[A-Za-z_][\w.]{0,120}\.)?[A-Z]\w{0,80}(?:Error|Exception)\b:?.{0,400})$",
    re.MULTILINE,
)
_SAVED: Final = re.compile(
    r"(?:^|_)(?:save|load|state_dict|checkpoint|ckpt|serialize|deserialize|pickle|export)(?:_|$)",
    re.IGNORECASE,
)
_SAYS_NOTHING: Final = re.compile(r"#{1,6}[^\n]*|```[^\n`]*\n\s*```")
"""A heading alone, or a block of code that the template left empty."""
_COMPILED: Final = re.compile(r"\.(?:cu|cuh|cpp|cc|cxx|c|h|hpp|rs|pyx)$|(?:^|/)CMakeLists\.txt$")
_MOTIVATION_LIMIT: Final = 1_200
_ROLE_ORDER: Final = {
    Role.SOURCE: 0, Role.CONFIG: 1, Role.BUILD: 2, Role.EXAMPLE: 3, Role.TEST: 4, Role.DOCS: 5,
    Role.CI: 6, Role.OTHER: 7,
}  # fmt: skip


class Event(Struct, frozen=True, kw_only=True):
    """One point of an item's timeline."""

    at: str
    """Date."""
    what: str
    is_pin: bool = False


class ItemReport(Struct, frozen=True, kw_only=True):
    """Everything that ``show`` tells of one item."""

    item: Item
    summary: str
    action: str
    """What to do with this pin, and why."""
    motivation: str = ""
    """The author's own words."""
    error: str = ""
    files: tuple[TouchedFile, ...] = ()
    """Most telling first."""
    symbols: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    """Settings that the changed lines read or compare."""
    remarks: tuple[str, ...] = ()
    """Review remarks that were never resolved."""
    risks: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    not_affected: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    """Members with their state, a line each."""
    related: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    """Releases and branches that hold it."""
    lines: tuple[str, ...] = ()
    """Lines that the presence rests on."""
    timeline: tuple[Event, ...] = ()
    patch: str = ""
    """The decisive hunks, from the mirror."""


class Surround(Struct, frozen=True, kw_only=True):
    """What the report needs beside the change itself, already named."""

    family: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()
    equivalents: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    remarks: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    timeline: tuple[Event, ...] = ()
    patch: str = ""


def compose_report(item: Item, change: Change, links: Links | None, around: Surround) -> ItemReport:
    """The report of a landed change for one pin."""
    files = order_files(change.diff.files)
    body = change.message.body
    return ItemReport(
        item=item,
        summary=one_line(f"{item.id} {change.message.title}", 300),
        action=recommend(item),
        motivation=motivation_of(body),
        error=error_of(body, around.issues),
        files=files,
        symbols=symbols_of(files),
        settings=settings_of(change),
        remarks=around.remarks,
        risks=risks_of(change, links, around),
        affected=tuple(one.detail for one in item.evidence if one.weight > 0),
        not_affected=tuple(one.detail for one in item.evidence if one.weight < 0),
        family=around.family,
        related=around.related,
        issues=tuple(f"#{one.number} {one_line(one.title, 120)}" for one in around.issues),
        holders=holders_of(item, around),
        lines=around.lines,
        timeline=around.timeline,
        patch=around.patch,
    )


def compose_issue_report(item: Item, issue: Issue, timeline: tuple[Event, ...]) -> ItemReport:
    """The report of a bug report for one pin."""
    names = dict.fromkeys(frame.function for frame in issue.frames if frame.function)
    paths = dict.fromkeys(frame.path for frame in issue.frames)
    return ItemReport(
        item=item,
        summary=one_line(f"{item.id} {issue.title}", 300),
        action=f"Look at {item.mended_by}: it mends this." if item.mended_by else recommend(item),
        motivation=motivation_of(issue.body),
        error=issue.errors[-1] if issue.errors else "",
        files=tuple(TouchedFile(path=path, role=Role.SOURCE) for path in list(paths)[:20]),
        symbols=tuple(names)[:30],
        settings=issue.config[:30],
        affected=tuple(one.detail for one in item.evidence if one.weight > 0),
        not_affected=tuple(one.detail for one in item.evidence if one.weight < 0),
        related=tuple(f"pull request #{number}" for number in issue.linked_numbers[:20]),
        timeline=timeline,
    )


def recommend(item: Item) -> str:
    """What to do about an item at this pin, in one sentence."""
    match item.presence:
        case Presence.CONTAINED:
            return "Nothing to do: your pin already has it."
        case Presence.WITHDRAWN:
            return f"Do not take it: {item.presence_detail}."
        case Presence.ABSENT:
            return f"Nothing to do as far as can be told: {item.presence_detail}."
        case _:
            pass
    route = best_route(item.routes)
    if route is not None:
        return f"{route.detail[:1].upper()}{route.detail[1:]}."
    if item.kind is Kind.ISSUE:
        return "No mend has landed: watch the issue."
    if item.first_release is not None:
        return f"Upgrade to {item.first_release} or later, or pick the change onto your pin."
    return "Pick the change onto your pin; no release holds it yet."


def best_route(routes: Sequence[Route]) -> Route | None:
    """The cheapest route that works: clean, without a rebuild, as listed."""
    clean = [route for route in routes if not route.conflicts]
    return min(clean, key=lambda route: route.rebuild, default=None)


def motivation_of(body: str) -> str:
    """The first paragraphs of the author's words, headings left out."""
    paragraphs = [part.strip() for part in body.split("\n\n")]
    told = [part for part in paragraphs if part and not _SAYS_NOTHING.fullmatch(part)]
    text = ""
    for part in told:
        if text and len(text) + len(part) > _MOTIVATION_LIMIT:
            break
        text = f"{text}\n\n{part}" if text else part
    return text[:_MOTIVATION_LIMIT]


def error_of(body: str, issues: Sequence[Issue]) -> str:
    """The error text that the author or a linked report quotes, or nothing."""
    match = _ERROR.search(body)
    if match is not None:
        return match[1].strip("` ")
    return next((issue.errors[-1] for issue in issues if issue.errors), "")


def order_files(files: Sequence[TouchedFile]) -> tuple[TouchedFile, ...]:
    """Shipped code first, then by how much of it changed."""
    return tuple(
        sorted(files, key=lambda one: (_ROLE_ORDER[one.role], -(one.added + one.removed), one.path))
    )


def symbols_of(files: Sequence[TouchedFile]) -> tuple[str, ...]:
    """Functions and classes that shipped files change."""
    names = (name for one in files if one.role.is_shipped for name in one.functions)
    return tuple(dict.fromkeys(names))[:30]


def settings_of(change: Change) -> tuple[str, ...]:
    """Settings that the changed lines compare or read."""
    guards = (f"{one.key} {one.operator} {one.value}".strip() for one in change.diff.guards)
    return tuple(dict.fromkeys((*guards, *change.diff.config_keys)))[:30]


def is_installed(file: TouchedFile, module: str) -> bool:
    """True for what lies in site-packages: the package without its tests."""
    return file.path.startswith(f"{module}/") and file.role is not Role.TEST


def is_compiled(files: Sequence[TouchedFile]) -> bool:
    """True when taking the change needs a rebuild."""
    return any(one.role.is_shipped and _COMPILED.search(one.path) for one in files)


def risks_of(change: Change, links: Links | None, around: Surround) -> tuple[str, ...]:
    """What can be computed about the danger of taking it, a sentence each."""
    files = change.diff.files
    risks = []
    if not any(one.role is Role.TEST for one in files):
        risks.append("no test was touched")
    if any(one.role is Role.CONFIG for one in files):
        risks.append("the default configuration changes")
    saved = sorted({n for n in symbols_of(files) if _SAVED.search(n.rsplit(".", 1)[-1])})
    if saved:
        risks.append(f"what is saved or loaded may change ({', '.join(saved[:4])})")
    if change.message.breaking:
        risks.append("its author calls it breaking")
    if is_compiled(files):
        risks.append("touches compiled code: a rebuild is needed")
    if links is not None and links.withdrawn_by is not None:
        risks.append("it was reverted later")
    if links is not None and links.relanded_as is not None:
        risks.append("it was reverted once and landed again")
    if around.follow_ups:
        risks.append("later changes complete it: " + ", ".join(around.follow_ups))
    omitted = [one.path for one in files if one.omitted]
    if omitted:
        risks.append(f"not all of its diff could be read ({', '.join(omitted[:3])})")
    return tuple(risks)


def holders_of(item: Item, around: Surround) -> tuple[str, ...]:
    """Releases and branches that hold the change, a line each."""
    holders = []
    if item.merged_at is not None:
        holders.append(f"the tracked branch since {day(item.merged_at)}")
    if item.first_release is not None:
        holders.append(f"{item.first_release} and later")
    holders += [f"also as {one}" for one in around.equivalents]
    return tuple(holders)
