"""Rows <-> facts, both ways. Pure.

A row is what a table's columns hold; ``CodecError`` tells a row that no fact can be made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from watcher.facts import (
    Change,
    DiffFacts,
    Issue,
    Kind,
    Links,
    Message,
    OriginRecord,
    PullRequestWords,
    TouchedFile,
)
from watcher.ports import Decision, Delivery, Json, Part, Walk
from watcher.store.codec import CodecError, RecordForm, dumps, loads

Row = dict[str, object]
"""Column -> value, to be written."""

_MESSAGE_COLUMNS: Final = frozenset(
    {"sha", "number", "kind", "breaking", "committed_at", "title", "raw_body"}
)
_CHANGE_COLUMNS: Final = frozenset({"upstream", "branch", "position", "message", "diff"})
_DIFF_COLUMNS: Final = frozenset({"files", "origins"})
_ISSUE_COLUMNS: Final = frozenset({"raw_body"})

PART_COLUMNS: Final[Mapping[Part, str]] = {
    Part.FILES: "files",
    Part.CODE: "code",
    Part.ORIGINS: "origins",
    Part.RAW_BODY: "raw_body",
}
"""The column that holds each part of a change."""
BASE_COLUMNS: Final = (
    "id", "upstream", "sha", "branch", "position", "number", "kind", "breaking", "committed_at",
    "title", "words",
)  # fmt: skip
"""What is read of every change, in this order."""

_CHANGE: Final = RecordForm(Change)
_MESSAGE: Final = RecordForm(Message)
_DIFF: Final = RecordForm(DiffFacts)
_FILE: Final = RecordForm(TouchedFile)
_ORIGINS: Final = RecordForm(OriginRecord)
_LINKS: Final = RecordForm(Links)
_WALK: Final = RecordForm(Walk)
_ISSUE: Final = RecordForm(Issue)
_WORDS: Final = RecordForm(PullRequestWords)

_INDEXED_PATH: Final = 500
_NO_DIFF: Final = DiffFacts()
_KINDS: Final[dict[str, Kind]] = {kind.value: kind for kind in Kind}


def change_row(change: Change) -> Row:
    """The ``change`` row of a change, without its id."""
    message, diff = change.message, change.diff
    words: dict[str, Json] = {
        "message": _MESSAGE.write(message, _MESSAGE_COLUMNS),
        "change": _CHANGE.write(change, _CHANGE_COLUMNS),
    }
    return {
        "upstream": change.upstream,
        "sha": message.sha,
        "branch": change.branch,
        "position": change.position,
        "number": message.number,
        "kind": message.kind.value,
        "breaking": message.breaking,
        "committed_at": message.committed_at,
        "title": message.title,
        "words": dumps(words),
        "files": dumps([_FILE.write(file) for file in diff.files]),
        "code": dumps(_DIFF.write(diff, _DIFF_COLUMNS)),
        "origins": None if diff.origins is None else dumps(_ORIGINS.write(diff.origins)),
        "raw_body": message.raw_body,
    }


def change_paths(change: Change) -> set[str]:
    """Every path that a change touches, old names included, as they are looked up."""
    files = change.diff.files
    paths = [file.path for file in files] + [file.old_path for file in files if file.old_path]
    return {indexed_path(path) for path in paths}


def indexed_path(path: str) -> str:
    """A path as the index of paths holds it: PostgreSQL refuses keys over some 2,700 bytes."""
    return path[:_INDEXED_PATH]


class ChangeReader:
    """Makes changes of rows that hold ``BASE_COLUMNS`` and the columns of some parts."""

    def __init__(self, parts: frozenset[Part]) -> None:
        read = [part for part in Part if part in parts]
        self.columns: tuple[str, ...] = BASE_COLUMNS + tuple(PART_COLUMNS[part] for part in read)
        place = {part: len(BASE_COLUMNS) + index for index, part in enumerate(read)}
        self._files = place.get(Part.FILES)
        self._code = place.get(Part.CODE)
        self._origins = place.get(Part.ORIGINS)
        self._raw_body = place.get(Part.RAW_BODY)

    def change(self, row: Any) -> Change:  # noqa: ANN401  a database row
        """The change of one row. Raises CodecError."""
        _, upstream, sha, branch, position, number, kind, breaking, at, title, text = row[:11]
        words = loads(text)
        try:
            said, rest = words["message"], words["change"]  # type: ignore[call-overload,index]
        except (KeyError, TypeError) as error:
            raise CodecError(f"words of {sha} lack {error}") from error
        if kind not in _KINDS:
            raise CodecError(f"{kind!r:.40} is no kind")
        values = _MESSAGE.values(said)
        values.update(
            sha=sha, number=number, kind=_KINDS[kind], breaking=bool(breaking),
            committed_at=at, title=title,
            raw_body="" if self._raw_body is None else row[self._raw_body],
        )  # fmt: skip
        others = _CHANGE.values(rest)
        others.update(
            upstream=upstream, branch=branch, position=position,
            message=_MESSAGE.build(values), diff=self._diff(row),
        )  # fmt: skip
        return _CHANGE.build(others)

    def _diff(self, row: Any) -> DiffFacts:  # noqa: ANN401  a database row
        values: dict[str, object] = {}
        if self._code is not None:
            values = _DIFF.values(loads(row[self._code]))
        if self._files is not None:
            files = loads(row[self._files])
            if type(files) is not list:
                raise CodecError("files are not a list")
            values["files"] = tuple(map(_FILE.read, files))
        if self._origins is not None and row[self._origins] is not None:
            values["origins"] = _ORIGINS.read(loads(row[self._origins]))
        return _DIFF.build(values) if values else _NO_DIFF


def links_row(upstream: str, links: Links) -> Row:
    """The ``links`` row of a change's links."""
    return {"upstream": upstream, "sha": links.sha, "body": dumps(_LINKS.write(links))}


def links_of(body: str) -> Links:
    """The links in a row's body. Raises CodecError."""
    return _LINKS.read(loads(body))


def walk_row(walk: Walk) -> Row:
    """The ``walk`` row of a walk."""
    return {
        "upstream": walk.upstream,
        "head": walk.head,
        "synced_at": walk.synced_at,
        "body": dumps(_WALK.write(walk)),
    }


def walk_of(body: str) -> Walk:
    """The walk in a row's body. Raises CodecError."""
    return _WALK.read(loads(body))


def issue_row(issue: Issue) -> Row:
    """The ``issue`` row of an issue."""
    return {
        "upstream": issue.upstream,
        "number": issue.number,
        "state": issue.state.value,
        "updated_at": issue.updated_at,
        "title": issue.title,
        "body": dumps(_ISSUE.write(issue, _ISSUE_COLUMNS)),
        "raw_body": issue.raw_body,
    }


def issue_of(body: str, raw_body: str) -> Issue:
    """The issue of a row. Raises CodecError."""
    return _ISSUE.build({**_ISSUE.values(loads(body)), "raw_body": raw_body})


def words_row(words: PullRequestWords) -> Row:
    """The ``words`` row of GitHub's words."""
    return {
        "upstream": words.upstream,
        "number": words.number,
        "body": dumps(_WORDS.write(words)),
    }


def words_of(body: str) -> PullRequestWords:
    """The words in a row's body. Raises CodecError."""
    return _WORDS.read(loads(body))


def delivery_row(delivery: Delivery) -> Row:
    """The ``delivery`` row of a delivery that nobody has claimed."""
    return {
        "key": delivery.key,
        "channel": delivery.channel,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "next_try_at": delivery.next_try_at,
        "lease_until": None,
        "created_at": delivery.created_at,
        "error": delivery.error,
        "payload": delivery.payload,
    }


def delivery_of(row: Any) -> Delivery:  # noqa: ANN401  a database row
    """The delivery of a row."""
    return Delivery(
        key=row.key,
        channel=row.channel,
        payload=row.payload,
        state=row.state,
        attempts=row.attempts,
        next_try_at=row.next_try_at,
        created_at=row.created_at,
        error=row.error,
    )


def decision_row(decision: Decision) -> Row:
    """The ``decision`` row of a decision, without its id."""
    return {
        "pin": decision.pin,
        "item": decision.item,
        "state": decision.state,
        "at": decision.at,
        "reason": decision.reason,
        "until": decision.until,
        "by": decision.by,
    }


def decision_of(row: Any) -> Decision:  # noqa: ANN401  a database row
    """The decision of a row."""
    return Decision(
        pin=row.pin,
        item=row.item,
        state=row.state,
        at=row.at,
        reason=row.reason,
        until=row.until,
        by=row.by,
    )
