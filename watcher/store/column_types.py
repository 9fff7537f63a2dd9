"""What a column does with a value on its way into the database and out of it."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

from watcher.store.codec import CodecError, storable


class UtcTime(TypeDecorator[datetime]):
    """A time that is aware and UTC on both sides; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's signature
        """UTC for the database."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise CodecError(f"naive time {value.isoformat()}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's signature
        """Aware UTC for the program; SQLite gives naive UTC, PostgreSQL the session's zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class StoredText(TypeDecorator[str]):
    """Text that every database can hold: NUL and lone surrogates become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  SQLAlchemy's signature
        """Storable text."""
        return None if value is None else storable(value)
