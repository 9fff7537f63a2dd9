"""How statements name the tables of ``schema``: columns and their types, no keys, no indexes.

Code reads and writes by SQLAlchemy Core: a walk of 9,000 changes must not become 9,000 session
objects. Defined apart from the SQLModel classes, because SQLModel, Pydantic and SQLAlchemy's ORM
take a short command a fifth of a second to import; a test holds the two together.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Integer, TableClause, column, table
from sqlalchemy.types import TypeEngine

from watcher.store.column_types import StoredText, UtcTime

_TEXT: Final = StoredText()
_TIME: Final = UtcTime()
_INTEGER: Final = Integer()
_BIG_INTEGER: Final = BigInteger()
_BOOLEAN: Final = Boolean()


def _table(name: str, /, **columns: TypeEngine[Any]) -> TableClause:
    return table(name, *(column(key, of_type) for key, of_type in columns.items()))


WALK: Final = _table(
    "walk",
    upstream=_TEXT,
    head=_TEXT,
    synced_at=_TIME,
    body=_TEXT,
)
CHANGE: Final = _table(
    "change",
    id=_INTEGER,
    upstream=_TEXT,
    sha=_TEXT,
    branch=_TEXT,
    position=_INTEGER,
    number=_BIG_INTEGER,
    kind=_TEXT,
    breaking=_BOOLEAN,
    committed_at=_TIME,
    title=_TEXT,
    message=_TEXT,
    words=_TEXT,
    files=_TEXT,
    code=_TEXT,
    origins=_TEXT,
    raw_body=_TEXT,
)
CHANGE_FILE: Final = _table(
    "change_file",
    change_id=_INTEGER,
    path=_TEXT,
)
LINKS: Final = _table(
    "links",
    upstream=_TEXT,
    sha=_TEXT,
    body=_TEXT,
)
ISSUE: Final = _table(
    "issue",
    upstream=_TEXT,
    number=_BIG_INTEGER,
    state=_TEXT,
    updated_at=_TIME,
    title=_TEXT,
    body=_TEXT,
    raw_body=_TEXT,
)
WORDS: Final = _table(
    "words",
    upstream=_TEXT,
    number=_BIG_INTEGER,
    body=_TEXT,
)
CURSOR: Final = _table(
    "cursor",
    name=_TEXT,
    value=_TEXT,
)
DOCUMENT: Final = _table(
    "document",
    kind=_TEXT,
    key=_TEXT,
    body=_TEXT,
)
DELIVERY: Final = _table(
    "delivery",
    key=_TEXT,
    channel=_TEXT,
    state=_TEXT,
    attempts=_INTEGER,
    next_try_at=_TIME,
    lease_until=_TIME,
    created_at=_TIME,
    error=_TEXT,
    payload=_TEXT,
)
DECISION: Final = _table(
    "decision",
    id=_INTEGER,
    pin=_TEXT,
    item=_TEXT,
    state=_TEXT,
    at=_TIME,
    reason=_TEXT,
    until=_TEXT,
    by=_TEXT,
)
FINDINGS: Final = _table(
    "findings",
    pin=_TEXT,
    fingerprint=_TEXT,
)
FINDING: Final = _table(
    "finding",
    pin=_TEXT,
    item=_TEXT,
    place=_INTEGER,
    first_seen_at=_TIME,
    is_seen=_BOOLEAN,
    body=_TEXT,
)

TABLES: Final = (
    WALK,
    CHANGE,
    CHANGE_FILE,
    LINKS,
    ISSUE,
    WORDS,
    CURSOR,
    DOCUMENT,
    DELIVERY,
    DECISION,
    FINDINGS,
    FINDING,
)
"""Every table, for whoever counts their rows."""
