"""Bug reports of an upstream as items: judged by what landed, weighed by what the user runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts, Role, TouchedFile
from watcher.facts.issue import Issue
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.message import Message
from watcher.facts.pin import ResolvedPin
from watcher.facts.presence import Presence
from watcher.history.judgement import Judgement as Standing
from watcher.history.judgement import Landed, judge_issue
from watcher.history.judgement import Standing as StandingKind
from watcher.history.roles import path_role
from watcher.pipeline.assess import Assessor
from watcher.pipeline.finding import Finding
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import Judgement, issue_item, item_name
from watcher.pipeline.pinned import Pinned
from watcher.ports.change_filter import LIGHT_PARTS, ChangeFilter
from watcher.ports.json import Json
from watcher.ports.store import Store

_IS_A_FIX: Final = "is a fix"
_COLLAPSED: Final = {
    StandingKind.MENDED: "reports of listed mends",
    StandingKind.DUPLICATE: "duplicates",
    StandingKind.CLOSED: "closed reports",
}


class Judged(Struct, frozen=True, kw_only=True):
    """A report with what it really is."""

    issue: Issue
    kind: StandingKind
    detail: str
    mend_sha: str | None = None


class IssueBook:
    """The bug reports of one pin's upstream as far as the horizon, judged once for a head."""

    def __init__(self, assessor: Assessor, one: Pinned, pin: ResolvedPin, horizon: Horizon) -> None:
        self._assessor = assessor
        self._one = one
        self._pin = pin
        self._horizon = horizon

    def all(self) -> list[Finding]:
        """Every bug report that was open or active since the pin."""
        judged = [one for one in self._judged(None) if _is_recent(one.issue, self._pin)]
        return list(self._found(judged))

    def some(self, issues: Sequence[Issue]) -> dict[int, Finding]:
        """The items of some reports by number."""
        found = self._found(list(self._judged([issue.number for issue in issues])))
        return {each.item.number: each for each in found if each.item.number is not None}

    def _judged(self, numbers: Sequence[int] | None) -> Iterator[Judged]:
        store, upstream = self._assessor.store, self._pin.upstream
        issues = [
            issue
            for issue in store.issues(upstream, numbers, LIGHT_PARTS)
            if issue.is_bug and (not self._horizon.is_moved or issue.opened_at <= self._horizon.at)
        ]
        known = None if self._horizon.is_moved else _kept(store, upstream, self._horizon)
        if known is None:
            known = self._judge_all(store, upstream)
        for issue in issues:
            if issue.number in known:
                kind, detail, sha, _ = known[issue.number]
                yield Judged(
                    issue=issue,
                    kind=StandingKind(kind),
                    detail=detail,
                    mend_sha=sha,
                )

    def _judge_all(self, store: Store, upstream: str) -> dict[int, _Row]:
        changes = [
            change
            for change in store.messages(upstream)
            if change.message.committed_at <= self._horizon.at
        ]
        landed = Landed(changes, self._assessor.links(self._one, self._horizon))
        issues = {issue.number: issue for issue in store.issues(upstream, None, LIGHT_PARTS)}
        rows = {
            number: _row(judge_issue(issue, landed, issues)) for number, issue in issues.items()
        }
        if not self._horizon.is_moved:
            _keep(store, upstream, self._horizon, rows)
        return rows

    def _found(self, judged: Sequence[Judged]) -> Iterator[Finding]:
        stand_ins = [_stand_in(one.issue) for one in judged]
        score = self._assessor.scorer(self._one, stand_ins)
        mends = self._mends(judged)
        for one, stand_in in zip(judged, stand_ins, strict=True):
            affected = score(stand_in, None)
            prior = sum(e.weight for e in affected.evidence if e.detail == _IS_A_FIX)
            judgement = Judgement(
                tier=affected.tier,
                score=affected.score,
                constant=round(affected.constant + prior, 3),
                evidence=tuple(e for e in affected.evidence if e.detail != _IS_A_FIX),
            )
            yield self._item(one, judgement, mends)

    def _mends(self, judged: Sequence[Judged]) -> dict[str, Change]:
        shas = tuple({one.mend_sha for one in judged if one.mend_sha})
        which = ChangeFilter(shas=shas, off_line=None, parts=frozenset())
        found = self._assessor.store.changes(self._pin.upstream, which) if shas else []
        return {change.sha: change for change in found}

    def _item(self, one: Judged, judgement: Judgement, mends: dict[str, Change]) -> Finding:
        issue = one.issue
        mend = mends.get(one.mend_sha or "")
        mended_by = None
        presence = Presence.UNKNOWN
        collapsed = _COLLAPSED.get(one.kind)
        if mend is not None:
            mended_by = item_name(self._pin.name, mend.number, mend.sha)
            is_held = mend.position is not None and mend.position <= self._pin.position
            if is_held or mend.sha in self._pin.carried:
                presence, collapsed = Presence.CONTAINED, "contained"
        if collapsed is None and judgement.tier is Tier.UNLIKELY:
            collapsed = "unlikely"
        item = replace(
            issue_item(self._pin.name, issue, judgement, mended_by=mended_by, detail=one.detail),
            presence=presence,
            tier=Tier.UNLIKELY if presence is Presence.CONTAINED else judgement.tier,
            extra=(("standing", one.kind.value),),
        )
        return Finding(item=item, collapsed=collapsed)


_Row = tuple[str, str, str | None, int | None]


def _row(standing: Standing) -> _Row:
    mend = standing.mended_by
    kind = standing.standing.value
    if mend is None:
        return (kind, standing.detail, None, None)
    return (kind, standing.detail, mend.sha, mend.number)


def _is_recent(issue: Issue, pin: ResolvedPin) -> bool:
    return issue.updated_at >= pin.committed_at or issue.opened_at >= pin.committed_at


def _stand_in(issue: Issue) -> Change:
    """The report in the shape that the rules of the list read."""
    paths = dict.fromkeys(frame.path for frame in issue.frames)
    files = [TouchedFile(path=path, role=_role(path)) for path in list(paths)[:50]]
    return Change(
        upstream=issue.upstream,
        branch="",
        position=None,
        message=Message(
            sha=f"#{issue.number}",
            committed_at=issue.opened_at,
            subject=issue.title,
            title=issue.title,
            number=issue.number,
            body="\n".join((issue.body, *issue.errors)),
            raw_body="",
            kind=Kind.FIX,
            facets=issue.facets,
        ),
        diff=DiffFacts(
            files=tuple(files) or (TouchedFile(path="report", role=Role.SOURCE),),
            config_keys=tuple(one.partition("=")[0] for one in issue.config[:50]),
        ),
        facets=issue.facets,
        labels=issue.labels,
    )


def _role(path: str) -> Role:
    role = path_role(path)
    return role if role.is_shipped else Role.SOURCE


def _kept(store: Store, upstream: str, horizon: Horizon) -> dict[int, _Row] | None:
    held = store.document("issue-standing", upstream)
    if not isinstance(held, dict) or held.get("from") != _made_from(store, upstream, horizon):
        return None
    rows = held.get("rows")
    if not isinstance(rows, dict):
        return None
    return {int(number): _read_row(row) for number, row in rows.items()}


def _read_row(row: Json) -> _Row:
    if not isinstance(row, list) or len(row) != 4:
        return (StandingKind.OPEN.value, "", None, None)
    kind, detail, sha, number = row
    return (
        str(kind),
        str(detail),
        str(sha) if sha else None,
        number if isinstance(number, int) else None,
    )


def _keep(store: Store, upstream: str, horizon: Horizon, rows: dict[int, _Row]) -> None:
    document: dict[str, Json] = {str(number): list(row) for number, row in rows.items()}
    made_from = _made_from(store, upstream, horizon)
    store.save_document("issue-standing", upstream, {"from": made_from, "rows": document})


def _made_from(store: Store, upstream: str, horizon: Horizon) -> str:
    cursors = [store.cursor(f"{name}:{upstream}") for name in ("issues", "open-issues", "words")]
    return "|".join((horizon.head, *(str(cursor) for cursor in cursors)))
