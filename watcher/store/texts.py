"""Reading and writing GitHub's words, issues, cursors and documents, on an open connection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, TableClause, and_, delete, insert, literal, select

from watcher.facts.issue import Issue, PullRequestWords
from watcher.ports.change_filter import Part
from watcher.ports.json import Json
from watcher.store.batches import batches, conditions
from watcher.store.codec import dumps, loads
from watcher.store.mapping import NO_TEXT, Row, issue_of, issue_row, words_of, words_row
from watcher.store.tables import CURSOR, DOCUMENT, ISSUE, WORDS


def write_issues(connection: Connection, issues: Iterable[Issue]) -> None:
    """Add issues, replacing those of the same upstream and number."""
    for batch in batches(issues):
        _replace_numbered(connection, ISSUE, [issue_row(issue) for issue in batch])


def read_issues(
    connection: Connection, upstream: str, numbers: Sequence[int] | None, parts: frozenset[Part]
) -> list[Issue]:
    """Issues, newest activity first."""
    raw_body = ISSUE.c.raw_body if Part.RAW_BODY in parts else literal(NO_TEXT)
    query = select(ISSUE.c.body, raw_body).where(ISSUE.c.upstream == upstream)
    issues = [
        issue_of(body, raw)
        for chosen in conditions(ISSUE.c.number, numbers)
        for body, raw in connection.execute(query.where(*chosen))
    ]
    return sorted(issues, key=lambda issue: (issue.updated_at, issue.number), reverse=True)


def write_words(connection: Connection, words: Iterable[PullRequestWords]) -> None:
    """Add words, replacing those of the same upstream and number."""
    for batch in batches(words):
        _replace_numbered(connection, WORDS, [words_row(one) for one in batch])


def read_words(
    connection: Connection, upstream: str, numbers: Sequence[int] | None
) -> dict[int, PullRequestWords]:
    """GitHub's words by number."""
    query = select(WORDS.c.number, WORDS.c.body).where(WORDS.c.upstream == upstream)
    return {
        number: words_of(body)
        for chosen in conditions(WORDS.c.number, numbers)
        for number, body in connection.execute(query.where(*chosen))
    }


def _replace_numbered(connection: Connection, table: TableClause, rows: list[Row]) -> None:
    unique = {(row["upstream"], row["number"]): row for row in rows}
    for upstream in {upstream for upstream, _ in unique}:
        numbers = [number for owner, number in unique if owner == upstream]
        these = and_(table.c.upstream == upstream, table.c.number.in_(numbers))
        connection.execute(delete(table).where(these))
    connection.execute(insert(table), list(unique.values()))


def read_cursor(connection: Connection, name: str) -> str | None:
    """The value of a cursor, or None."""
    return connection.scalar(select(CURSOR.c.value).where(CURSOR.c.name == name))


def write_cursor(connection: Connection, name: str, value: str | None) -> None:
    """Store a cursor, or remove it when the value is None."""
    connection.execute(delete(CURSOR).where(CURSOR.c.name == name))
    if value is not None:
        connection.execute(insert(CURSOR), {"name": name, "value": value})


def read_document(connection: Connection, kind: str, key: str) -> Json:
    """A document, or None."""
    query = select(DOCUMENT.c.body).where(DOCUMENT.c.kind == kind, DOCUMENT.c.key == key)
    body = connection.scalar(query)
    return None if body is None else loads(body)


def write_document(connection: Connection, kind: str, key: str, value: Json) -> None:
    """Store a document, or remove it when the value is None."""
    these = and_(DOCUMENT.c.kind == kind, DOCUMENT.c.key == key)
    connection.execute(delete(DOCUMENT).where(these))
    if value is not None:
        connection.execute(insert(DOCUMENT), {"kind": kind, "key": key, "body": dumps(value)})
