"""The tables of the store, as SQLModel classes: columns, keys and indexes of a database.

What readers filter and sort by is a column; the rest is compact JSON, split by use so that a
reader loads only what it needs. Migrations and ``watcher db`` come here; commands that only read
and write rows name them by ``tables``, which is far cheaper to import.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Column, ForeignKey, Index
from sqlmodel import Field, SQLModel

from watcher.store.column_types import StoredText, UtcTime


def _text(**options: Any) -> Any:  # noqa: ANN401  what SQLModel's Field takes and gives
    return Field(sa_type=StoredText, **options)


def _time(**options: Any) -> Any:  # noqa: ANN401  what SQLModel's Field takes and gives
    return Field(sa_type=UtcTime, **options)


class WalkRow(SQLModel, table=True):
    """How far an upstream was read; one row an upstream."""

    __tablename__ = "walk"
    upstream: str = _text(primary_key=True)
    head: str = _text()
    synced_at: datetime = _time()
    body: str = _text()
    """JSON of the whole record."""


class ChangeRow(SQLModel, table=True):
    """A landed change. The long columns stand last: a reader of the first ones never loads them."""

    __tablename__ = "change"
    __table_args__ = (
        Index("change_by_sha", "upstream", "sha", unique=True),
        Index("change_by_position", "upstream", "position"),
        Index("change_by_number", "upstream", "number"),
    )
    id: int | None = Field(default=None, primary_key=True)
    upstream: str = _text()
    sha: str = _text()
    branch: str = _text()
    position: int | None = None
    number: int | None = Field(default=None, sa_type=BigInteger)
    kind: str = _text()
    breaking: bool
    committed_at: datetime = _time()
    title: str = _text()
    message: str = _text()
    """JSON: the message without its raw body."""
    words: str = _text()
    """JSON: the change without message and diff."""
    files: str = _text()
    """JSON: touched files."""
    code: str = _text()
    """JSON: the diff's identifiers, strings, configuration keys and guards."""
    origins: str = _text()
    """JSON: the diff's presence record, or null."""
    raw_body: str = _text()
    """JSON: the message's raw body, a string."""


class ChangeFileRow(SQLModel, table=True):
    """Which changes touch a path (its old name too)."""

    __tablename__ = "change_file"
    change_id: int = Field(
        sa_column=Column(ForeignKey("change.id", ondelete="CASCADE"), primary_key=True)
    )
    path: str = _text(primary_key=True, index=True)


class LinksRow(SQLModel, table=True):
    """The ties of one change."""

    __tablename__ = "links"
    upstream: str = _text(primary_key=True)
    sha: str = _text(primary_key=True)
    body: str = _text()
    """JSON of the whole record."""


class IssueRow(SQLModel, table=True):
    """A bug report."""

    __tablename__ = "issue"
    upstream: str = _text(primary_key=True)
    number: int = Field(sa_type=BigInteger, primary_key=True)
    state: str = _text()
    updated_at: datetime = _time(index=True)
    title: str = _text()
    body: str = _text()
    """JSON: the record without its raw body."""
    raw_body: str = _text()
    """JSON: a string."""


class WordsRow(SQLModel, table=True):
    """GitHub's words on a pull request."""

    __tablename__ = "words"
    upstream: str = _text(primary_key=True)
    number: int = Field(sa_type=BigInteger, primary_key=True)
    body: str = _text()
    """JSON of the whole record."""


class CursorRow(SQLModel, table=True):
    """How far something outside was read."""

    __tablename__ = "cursor"
    name: str = _text(primary_key=True)
    value: str = _text()


class DocumentRow(SQLModel, table=True):
    """A small JSON document."""

    __tablename__ = "document"
    kind: str = _text(primary_key=True)
    key: str = _text(primary_key=True)
    body: str = _text()


class DeliveryRow(SQLModel, table=True):
    """One message of the outbox."""

    __tablename__ = "delivery"
    key: str = _text(primary_key=True)
    channel: str = _text(index=True)
    state: str = _text()
    attempts: int
    next_try_at: datetime | None = _time(nullable=True)
    lease_until: datetime | None = _time(nullable=True)
    """Until when a ``sending`` row belongs to the worker that claimed it."""
    created_at: datetime = _time(index=True)
    error: str | None = _text(nullable=True)
    payload: str = _text()


class DecisionRow(SQLModel, table=True):
    """One decision about an item; never changed, only followed by another."""

    __tablename__ = "decision"
    id: int | None = Field(default=None, primary_key=True)
    pin: str = _text(index=True)
    item: str = _text()
    state: str = _text()
    at: datetime = _time()
    reason: str = _text()
    until: str | None = _text(nullable=True)
    by: str | None = _text(nullable=True)


class FindingsRow(SQLModel, table=True):
    """What a pin's current findings were computed from."""

    __tablename__ = "findings"
    pin: str = _text(primary_key=True)
    fingerprint: str = _text()


class FindingRow(SQLModel, table=True):
    """An item ever found for a pin; ``place`` and ``body`` are empty once it is gone."""

    __tablename__ = "finding"
    pin: str = _text(primary_key=True)
    item: str = _text(primary_key=True)
    place: int | None = None
    """Order within the current findings."""
    first_seen_at: datetime = _time()
    is_seen: bool
    body: str | None = _text(nullable=True)


METADATA: Final = SQLModel.metadata
"""What the migrations bring a database to."""
