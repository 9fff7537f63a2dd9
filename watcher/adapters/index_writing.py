"""Documents into the tables of a search index, on an open connection. Does I/O."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from watcher.adapters.index_packing import texts_of, unpacked
from watcher.matching.document import FIELDS
from watcher.ports.index import PackedDocument

COLUMNS: Final = ", ".join(FIELDS)
_MARKS: Final = ", ".join("?" * len(FIELDS))
_ISSUE_ROWS: Final = 1 << 52
_ROWS_A_POSITION: Final = 1 << 20
_LAST_POSITION: Final = (1 << 32) - 3


class TableAdding:
    """Adds documents on an open connection; the totals are written once, at the end."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        errors: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._connection = connection
        self._errors = errors
        self._lengths: Counter[str] = Counter()

    def add(self, document: PackedDocument) -> None:
        """Add a document, or replace the one of its key."""
        with self._errors():
            _remove(self._connection, document.key, self._lengths)
            _insert(self._connection, document, self._lengths)

    def mark(self, marker: str) -> None:
        """Note what the index will hold."""
        with self._errors():
            mark(self._connection, marker)

    def end(self) -> None:
        """Write the totals: all documents are in."""
        self._connection.executemany(
            "INSERT INTO lengths (field, total) VALUES (?, ?)"
            " ON CONFLICT (field) DO UPDATE SET total = total + excluded.total",
            list(self._lengths.items()),
        )


def clear(connection: sqlite3.Connection) -> None:
    """Remove all."""
    connection.execute("INSERT INTO words(words) VALUES ('delete-all')")
    connection.execute("DELETE FROM documents")
    connection.execute("DELETE FROM lengths")
    connection.execute("DELETE FROM marks")


def mark(connection: sqlite3.Connection, marker: str) -> None:
    """Note what the index holds."""
    connection.execute("DELETE FROM marks")
    connection.execute("INSERT INTO marks VALUES (?)", (marker,))


def _insert(
    connection: sqlite3.Connection, document: PackedDocument, lengths: Counter[str]
) -> None:
    row = _free_row(connection, document.position, is_issue=document.key.startswith("#"))
    connection.execute(
        "INSERT INTO documents (row, key, position, fields) VALUES (?, ?, ?, ?)",
        (row, document.key, document.position, document.fields),
    )
    connection.execute(
        f"INSERT INTO words (rowid, {COLUMNS}) VALUES (?, {_MARKS})",  # noqa: S608  constants only
        (row, *document.texts),
    )
    lengths.update(document.lengths)


def _remove(connection: sqlite3.Connection, key: str, lengths: Counter[str]) -> None:
    found = connection.execute("SELECT row, fields FROM documents WHERE key = ?", (key,)).fetchone()
    if found is None:
        return
    row, fields = int(found[0]), unpacked(found[1])
    # A contentless table forgets a row only when it is told the very words that it was given.
    connection.execute(
        f"INSERT INTO words (words, rowid, {COLUMNS}) VALUES ('delete', ?, {_MARKS})",  # noqa: S608  constants only
        (row, *texts_of(fields)),
    )
    connection.execute("DELETE FROM documents WHERE row = ?", (row,))
    lengths.subtract({name: sum(tokens.values()) for name, tokens in fields.items()})


def _free_row(connection: sqlite3.Connection, position: int, *, is_issue: bool) -> int:
    first, last = row_range(position - 1, position, is_issue=is_issue)
    highest = connection.execute(
        "SELECT max(row) FROM documents WHERE row BETWEEN ? AND ?", (first, last)
    ).fetchone()[0]
    return first if highest is None else int(highest) + 1


def row_range(after: int, until: int, *, is_issue: bool) -> tuple[int, int]:
    """First and last row number of the documents with ``after < position <= until``."""
    base = _ISSUE_ROWS if is_issue else 0
    start, end = (max(-1, min(place, _LAST_POSITION)) + 2 for place in (after, until))
    if after < -1:
        start = 0
    return base + start * _ROWS_A_POSITION, base + end * _ROWS_A_POSITION - 1
