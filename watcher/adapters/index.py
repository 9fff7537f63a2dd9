"""The full-text index of one upstream: ``ports.Index`` on an SQLite FTS5 file beside the mirror.

Does I/O. Holds nothing that cannot be made again: an unreadable or outdated file is removed and the
index starts empty. The row number carries the kind and the position of a document, so that a
search between two positions is a range of rows.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from watcher.adapters.index_packing import packed, unpacked
from watcher.adapters.index_writing import COLUMNS, TableAdding, clear, row_range
from watcher.errors import StoreError
from watcher.facts.document import Document
from watcher.matching.document import FIELDS
from watcher.ports.index import Adding, IndexStatistics

FORMAT: Final = 2
"""Raised when tokens or tables change: older files are made anew."""

MAX_QUERY_TERMS: Final = 64
_COLUMN_WEIGHTS: Final = {
    "title": 6.0, "body": 1.0, "paths": 0.7, "functions": 0.3, "identifiers": 0.5, "strings": 0.2,
}  # fmt: skip
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS documents (
    row INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL,
    fields BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS marks (marker TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lengths (field TEXT PRIMARY KEY, total INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    {COLUMNS}, content='',
    tokenize="unicode61 remove_diacritics 0 tokenchars '=_.'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(words, 'row');
"""


class Fts5Index:
    """One file, opened on first use. Safe between threads: one asks at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()

    pack: Final = staticmethod(packed)

    def add(self, documents: Iterable[Document]) -> None:
        """Add or replace documents by key, in one transaction."""
        with self._transaction() as connection:
            adding = TableAdding(connection)
            for one in documents:
                adding.add(packed(one))
            adding.end()

    @contextmanager
    def adding(self, *, anew: bool) -> Iterator[Adding]:
        """One transaction on a connection of its own: searches see the old state until it ends."""
        with self._errors():
            self._open()  # sees to it that the file is there and sound
            connection = _connect(self._path)
        try:
            with self._errors():
                connection.execute("BEGIN IMMEDIATE")
                if anew:
                    clear(connection)
            adding = TableAdding(connection, self._errors)
            yield adding
            with self._errors():
                adding.end()
                connection.commit()
        finally:
            connection.close()  # what is not committed is gone with it

    def search(
        self,
        terms: Mapping[str, float],
        *,
        after: int,
        until: int,
        limit: int,
        issues: bool = False,
    ) -> list[tuple[str, float]]:
        """(key, score) of the best documents with ``after < position <= until``, best first.

        The heaviest terms are searched; a term's weight decides only whether it is among them.
        """
        wanted = sorted(terms, key=lambda term: (-terms[term], term))[:MAX_QUERY_TERMS]
        if not wanted or limit < 1 or until <= after:
            return []
        first, last = row_range(after, until, is_issue=issues)
        weights = ", ".join(str(_COLUMN_WEIGHTS[name]) for name in FIELDS)
        match = " OR ".join('"' + term.replace('"', '""') + '"' for term in wanted)
        with self._errors():
            found = self._open().execute(
                f"SELECT key, -score FROM (SELECT rowid AS row, bm25(words, {weights}) AS score"  # noqa: S608  constants only
                " FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
                " ORDER BY score LIMIT ?) JOIN documents USING (row) ORDER BY score, row DESC",
                (match, first, last, limit),
            )
            return [(str(key), float(score)) for key, score in found]

    def documents(self, keys: Sequence[str]) -> dict[str, Document]:
        """Documents by key; unknown keys are left out."""
        found: dict[str, Document] = {}
        with self._errors():
            for some in _batches(keys):
                marks = ",".join("?" * len(some))
                rows = self._open().execute(
                    f"SELECT key, position, fields FROM documents WHERE key IN ({marks})",  # noqa: S608  marks only
                    some,
                )
                for key, position, fields in rows:
                    found[key] = Document(key=key, position=position, fields=unpacked(fields))
        return found

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Number of documents that hold each term in any field; absent terms are left out."""
        found: dict[str, int] = {}
        with self._errors():
            connection = self._open()
            for term in terms:
                row = connection.execute(
                    "SELECT doc FROM vocabulary WHERE term = ?", (term,)
                ).fetchone()
                if row:
                    found[term] = int(row[0])
        return found

    def statistics(self) -> IndexStatistics:
        """Counts and average lengths."""
        with self._errors():
            connection = self._open()
            count = int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])
            totals = connection.execute("SELECT field, total FROM lengths").fetchall()
        return IndexStatistics(
            count=count,
            average_lengths={name: total / count for name, total in totals} if count else {},
        )

    def marker(self) -> str | None:
        """The last mark."""
        with self._errors():
            row = self._open().execute("SELECT marker FROM marks").fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connection = _connect(self._path)
            except sqlite3.DatabaseError:
                # Derived data: whatever lies there is made anew by the next sync.
                self._path.unlink(missing_ok=True)
                self._connection = _connect(self._path)
        return self._connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except (sqlite3.Error, OSError, zlib.error, ValueError) as error:
            mend = "delete the file and run `watcher sync`"
            if type(error) is sqlite3.DatabaseError:  # damaged, not merely busy or full
                self._drop()
                mend = "run `watcher sync`, which makes it again"
            what = f"the search index cannot be used: {error}"
            raise StoreError(what, where=str(self._path), mend=mend) from error

    def _drop(self) -> None:
        """Take a damaged file away: it is derived data."""
        with suppress(OSError, sqlite3.Error):
            self.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors(), self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in {0, FORMAT}:
            raise sqlite3.DatabaseError(f"format {version}")
        if version == 0:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _batches(keys: Sequence[str], size: int = 500) -> Iterator[list[str]]:
    for start in range(0, len(keys), size):
        yield list(keys[start : start + size])
