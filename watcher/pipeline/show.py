"""The use case ``show``: everything known of one item, for one pin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from watcher.errors import MirrorError, UsageError
from watcher.facts.change import Change
from watcher.facts.issue import Issue
from watcher.facts.links import Links
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.assess import Assessor
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import item_name
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.routes import RouteFinder
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.report.escape import one_line
from watcher.report.item_report import Event, ItemReport, Surround, compose_report
from watcher.report.words import day

_NAME: Final = re.compile(
    r"(?P<pin>[^#@]{1,80})(?:#(?P<number>\d{1,9})|@(?P<sha>[0-9a-f]{4,40}))\Z"
)
_PATCH_LIMIT: Final = 200_000


class ItemName(Struct, frozen=True):
    """A parsed item name."""

    pin: str
    number: int | None
    sha: str | None


def parse_item_name(text: str) -> ItemName:
    """``verl#6463`` or ``verl@1a2b3c4d5``. Raises UsageError."""
    match = _NAME.match(text.strip())
    if match is None:
        mend = "write PIN#NUMBER, PIN@SHA or advisory:SLUG"
        raise UsageError("not an item name", where=one_line(text, 80), mend=mend)
    number = match["number"]
    return ItemName(match["pin"], None if number is None else int(number), match["sha"])


class Shown(Struct, frozen=True, kw_only=True):
    """A report with the change that it is about."""

    report: ItemReport
    pinned: Pinned
    pin: ResolvedPin
    horizon: Horizon
    change: Change


def show_item(
    name: ItemName,
    pins: Sequence[Pinned],
    assessor: Assessor,
    finder: RouteFinder | None = None,
) -> Shown:
    """The report of a landed change, with routes by a finder. Raises UsageError for what is not
    known.
    """
    one, pin, horizon = _pin_of(name, pins)
    change = _change_of(name, one, assessor.store)
    found = assessor.judge_one(one, pin, horizon, change)
    links = assessor.store.links(pin.upstream, [change.sha]).get(change.sha)
    if finder is not None:
        trial = finder.trials.pick_with_prerequisites
        found = finder.with_route(found, change, links, trial)
    around = _surround(one, pin, change, links, assessor.store)
    report = compose_report(found, change, links, around)
    return Shown(report=report, pinned=one, pin=pin, horizon=horizon, change=change)


def _pin_of(name: ItemName, pins: Sequence[Pinned]) -> tuple[Pinned, ResolvedPin, Horizon]:
    for one, pin, horizon in resolved(pins):
        if one.name == name.pin:
            return one, pin, horizon
    known = {one.name: one for one in pins}
    if name.pin in known and not isinstance(known[name.pin].pin, ResolvedPin):
        unresolved = known[name.pin].pin
        reason = getattr(unresolved, "reason", "not synced")
        raise UsageError(f"{name.pin} is not resolved: {reason}", mend="run `watcher pins`")
    mend = f"the pins are {', '.join(known) or 'none'}"
    raise UsageError(f"no pin is named `{name.pin}`", where="show", mend=mend)


def _change_of(name: ItemName, one: Pinned, store: Store) -> Change:
    upstream = one.setting.upstream
    if name.number is not None:
        shas = store.find_changes(upstream, name.number)
    else:
        sha = one.followed.mirror.resolve(name.sha or "")
        shas = [] if sha is None else [sha]
    found = store.changes(upstream, ChangeFilter(shas=tuple(shas), off_line=None)) if shas else []
    if not found:
        label = f"{name.pin}#{name.number}" if name.number is not None else f"{name.pin}@{name.sha}"
        raise UsageError(
            f"{label} is not among the mirrored changes",
            where="show",
            mend="see `watcher list --all`, or set an earlier `since` and sync",
        )
    on_line = [change for change in found if change.position is not None]
    return (on_line or found)[-1]


def _surround(
    one: Pinned, pin: ResolvedPin, change: Change, links: Links | None, store: Store
) -> Surround:
    upstream = pin.upstream
    wanted = _related_shas(links)
    which = ChangeFilter(shas=tuple(wanted), off_line=None, parts=frozenset())
    others = {c.sha: c for c in store.changes(upstream, which)} if wanted else {}

    def lines(shas: Sequence[str]) -> tuple[str, ...]:
        return tuple(_line(one.name, pin, others[sha]) for sha in shas if sha in others)

    issues = tuple(store.issues(upstream, change.message.closes)) if change.message.closes else ()
    words = store.words(upstream, [change.number]) if change.number is not None else {}
    told = words.get(change.number or 0)
    return Surround(
        family=lines([sha for sha in (links.family if links else ()) if sha != change.sha]),
        related=lines(links.related if links else ()),
        follow_ups=tuple(
            item_name(one.name, others[sha].number, sha)
            for sha in (links.follow_ups if links else ())
            if sha in others
        ),
        reverts=lines(links.reverts if links else ()),
        equivalents=tuple(
            f"{sha[:9]} on {others[sha].branch}"
            for sha in (links.equivalents if links else ())
            if sha in others
        ),
        issues=issues,
        remarks=told.unresolved_remarks if told is not None else (),
        timeline=_timeline(one, pin, change, links, others, issues),
        patch=_patch(one, change),
    )


def _related_shas(links: Links | None) -> list[str]:
    if links is None:
        return []
    ends = (links.withdrawn_by, links.relanded_as)
    many = (links.family, links.related, links.follow_ups, links.reverts, links.equivalents)
    shas = [*(sha for sha in ends if sha), *(sha for group in many for sha in group)]
    return list(dict.fromkeys([*shas, *links.named_origins]))


def _line(name: str, pin: ResolvedPin, change: Change) -> str:
    is_held = change.position is not None and change.position <= pin.position
    held = "in your pin" if is_held or change.sha in pin.carried else "missing"
    title = one_line(change.message.title, 100)
    return f"{item_name(name, change.number, change.sha)} {title} ({held})"


def _timeline(
    one: Pinned,
    pin: ResolvedPin,
    change: Change,
    links: Links | None,
    others: dict[str, Change],
    issues: Sequence[Issue],
) -> tuple[Event, ...]:
    events = [(issue.opened_at, f"issue #{issue.number} opened", False) for issue in issues]
    events.append((pin.committed_at, f"your pin {pin.ref}", True))
    events.append((change.message.committed_at, f"landed as {change.sha[:9]}", False))
    if links is not None:
        told = (
            *((sha, "probably brought the fault") for sha in links.named_origins),
            *((sha, "follow-up") for sha in links.follow_ups),
            *((sha, "same change") for sha in links.equivalents),
            *([(links.withdrawn_by, "reverted it")] if links.withdrawn_by else []),
            *([(links.relanded_as, "landed again")] if links.relanded_as else []),
        )
        for sha, what in told:
            if sha in others:
                other = others[sha]
                label = item_name(one.name, other.number, sha)
                where = "" if other.position is not None else f" on {other.branch}"
                events.append((other.message.committed_at, f"{what}: {label}{where}", False))
        tags = one.horizon.tags if one.horizon else ()
        events += [
            (tag.committed_at, f"first released in {tag.name}", False)
            for tag in tags
            if tag.name == links.first_release
        ]
    events.sort(key=lambda event: event[0])
    return tuple(Event(at=day(at), what=what, is_pin=is_pin) for at, what, is_pin in events)


def _patch(one: Pinned, change: Change) -> str:
    """The hunks of shipped files; nothing when the mirror lacks them."""
    paths = [file.path for file in change.diff.files if file.role.is_shipped]
    try:
        patch = one.followed.mirror.patch_of(change.sha, paths=paths[:100])
    except MirrorError:
        return ""
    return patch[:_PATCH_LIMIT]
