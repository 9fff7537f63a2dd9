"""Rows <-> facts, both ways. Pure.

A row is what a table's columns hold; ``CodecError`` tells a row that no fact can be made of. A
change is kept as pieces of its JSON, one a column: a reader joins the pieces that it wants and
checks and makes the record in one go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.issue import Issue, PullRequestWords
from watcher.facts.links import Links
from watcher.ports.change_filter import Part
from watcher.ports.decision import Decision
from watcher.ports.delivery import Delivery
from watcher.ports.walk import Walk
from watcher.store.codec import dumps, in_utc, reader, record_json, record_object, storable

Row = dict[str, object]
"""Column -> value, to be written."""

_INDEXED_PATH: Final = 500
_PART_COLUMNS: Final[Mapping[Part, str]] = {
    Part.FILES: "files",
    Part.CODE: "code",
    Part.ORIGINS: "origins",
    Part.RAW_BODY: "raw_body",
}
NO_TEXT: Final = '""'
"""JSON of a raw body that is not asked for."""
_EMPTY_PIECES: Final = {"files": "[]", "code": "{}", "origins": "null", "raw_body": NO_TEXT}

_change_of: Final = reader(Change)
_issue_of: Final = reader(Issue)
links_of: Final = reader(Links)
"""The links in a row's body. Raises CodecError."""
walk_of: Final = reader(Walk)
"""The walk in a row's body. Raises CodecError."""
words_of: Final = reader(PullRequestWords)
"""The words in a row's body. Raises CodecError."""


def change_row(change: Change) -> Row:
    """The ``change`` row of a change, without its id."""
    message = in_utc(change.message, ["committed_at"])
    diff = change.diff
    return {
        "upstream": change.upstream,
        "sha": message.sha,
        "branch": change.branch,
        "position": change.position,
        "number": message.number,
        "kind": message.kind.value,
        "breaking": message.breaking,
        "committed_at": message.committed_at,
        "title": storable(message.title),
        "message": record_json(message, {"raw_body"}),
        "words": record_json(change, {"message", "diff"}),
        "files": dumps([record_object(file) for file in diff.files]),
        "code": record_json(diff, {"files", "origins"}),
        "origins": "null" if diff.origins is None else record_json(diff.origins),
        "raw_body": dumps(message.raw_body),
    }


def change_paths(change: Change) -> list[str]:
    """Every path that a change touches, old names included, as they are looked up."""
    files = change.diff.files
    paths = [file.path for file in files] + [file.old_path for file in files if file.old_path]
    return list(dict.fromkeys(map(indexed_path, paths)))


def indexed_path(path: str) -> str:
    """A path as the index of paths holds it: PostgreSQL refuses keys over some 2,700 bytes."""
    return storable(path[:_INDEXED_PATH])


class ChangeReader:
    """Makes changes of rows of the columns that some parts need."""

    def __init__(self, parts: frozenset[Part]) -> None:
        wanted = [_PART_COLUMNS[part] for part in Part if part in parts]
        self.columns: tuple[str, ...] = ("message", "words", *wanted)
        self._names = wanted

    def change(self, row: Any) -> Change:  # noqa: ANN401  a database row
        """The change of one row of ``columns``. Raises CodecError."""
        message, words, *read = row
        pieces = _EMPTY_PIECES | dict(zip(self._names, read, strict=True))
        return _change_of(
            f'{{"message":{_joined(message, raw_body=pieces["raw_body"])},"diff":'
            f"{_joined(pieces['code'], files=pieces['files'], origins=pieces['origins'])},"
            f"{words[1:]}"
        )


def _joined(piece: str, **more: str) -> str:
    """A JSON object with further members; their values are JSON already."""
    members = ",".join(f'"{name}":{value}' for name, value in more.items())
    return f"{{{members}}}" if piece == "{}" else f"{{{members},{piece[1:]}"


def links_row(upstream: str, links: Links) -> Row:
    """The ``links`` row of a change's links."""
    return {"upstream": upstream, "sha": links.sha, "body": record_json(links)}


def walk_row(walk: Walk) -> Row:
    """The ``walk`` row of a walk."""
    walk = replace(
        in_utc(walk, ["head_at", "synced_at"]),
        tags=tuple(in_utc(tag, ["committed_at"]) for tag in walk.tags),
    )
    return {
        "upstream": walk.upstream,
        "head": walk.head,
        "synced_at": walk.synced_at,
        "body": record_json(walk),
    }


def issue_row(issue: Issue) -> Row:
    """The ``issue`` row of an issue."""
    issue = in_utc(issue, ["opened_at", "updated_at", "closed_at"])
    return {
        "upstream": issue.upstream,
        "number": issue.number,
        "state": issue.state.value,
        "updated_at": issue.updated_at,
        "title": issue.title,
        "body": record_json(issue, {"raw_body"}),
        "raw_body": dumps(issue.raw_body),
    }


def issue_of(body: str, raw_body: str) -> Issue:
    """The issue of a row. Raises CodecError."""
    return _issue_of(_joined(body, raw_body=raw_body))


def words_row(words: PullRequestWords) -> Row:
    """The ``words`` row of GitHub's words."""
    words = in_utc(words, ["merged_at", "updated_at"])
    return {
        "upstream": words.upstream,
        "number": words.number,
        "body": record_json(words),
    }


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
