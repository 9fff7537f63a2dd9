"""The full-text index of one upstream: ``ports.Index`` on an SQLite FTS5 file beside the mirror.

Does I/O. Holds nothing that cannot be made again: an unreadable or outdated file is removed and the
index starts empty. The row number carries the kind and the position of a document, so that a
search between two positions is a range of rows.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final, TypeAlias

from watcher.errors import StoreError
from watcher.facts import Document
from watcher.matching.document import FIELDS
from watcher.ports import Adding, IndexStatistics, PackedDocument

FORMAT: Final = 2
"""Raised when tokens or tables change: older files are made anew."""

MAX_QUERY_TERMS: Final = 64
_ISSUE_ROWS: Final = 1 << 52
_ROWS_A_POSITION: Final = 1 << 20
_LAST_POSITION: Final = (1 << 32) - 3
_COLUMN_WEIGHTS: Final = {
    "title": 6.0, "body": 1.0, "paths": 0.7, "functions": 0.3, "identifiers": 0.5, "strings": 0.2,
}  # fmt: skip
_MAX_REPEATS: Final = 8
"""A token counts at most this often in a field for the search; documents keep the true count."""
_COLUMNS: Final = ", ".join(FIELDS)
_MARKS: Final = ", ".join("?" * len(FIELDS))
_Groups: TypeAlias = dict[str, dict[int, str]]
"""Field -> count -> its tokens in one string: small, and quick to read back."""

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
    {_COLUMNS}, content='',
    tokenize="unicode61 remove_diacritics 0 tokenchars '=_.'"
);
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(words, 'row');
"""


def packed(document: Document) -> PackedDocument:
    """A document as the file holds it; works in any process."""
    groups = _group(document.fields)
    return PackedDocument(
        key=document.key,
        position=document.position,
        fields=zlib.compress(json.dumps(groups, separators=(",", ":")).encode(), 1),
        texts=_texts(groups),
        lengths={name: sum(tokens.values()) for name, tokens in document.fields.items()},
    )


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
            adding = _Adding(connection)
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
                    _clear(connection)
            adding = _Adding(connection, self._errors)
            yield adding
            with self._errors():
                adding.end()
                connection.commit()
        finally:
            connection.close()  # what is not committed is gone with it

    def clear(self) -> None:
        """Remove all."""
        with self._transaction() as connection:
            _clear(connection)

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
        first, last = _rows(after, until, is_issue=issues)
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
                    found[key] = Document(key=key, position=position, fields=_unpack(fields))
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

    def mark(self, marker: str) -> None:
        """Note what the index holds."""
        with self._transaction() as connection:
            _mark(connection, marker)

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


class _Adding:
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
            _mark(self._connection, marker)

    def end(self) -> None:
        self._connection.executemany(
            "INSERT INTO lengths (field, total) VALUES (?, ?)"
            " ON CONFLICT (field) DO UPDATE SET total = total + excluded.total",
            list(self._lengths.items()),
        )


def _clear(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO words(words) VALUES ('delete-all')")
    connection.execute("DELETE FROM documents")
    connection.execute("DELETE FROM lengths")
    connection.execute("DELETE FROM marks")


def _mark(connection: sqlite3.Connection, marker: str) -> None:
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
        f"INSERT INTO words (rowid, {_COLUMNS}) VALUES (?, {_MARKS})",  # noqa: S608  constants only
        (row, *document.texts),
    )
    lengths.update(document.lengths)


def _remove(connection: sqlite3.Connection, key: str, lengths: Counter[str]) -> None:
    found = connection.execute("SELECT row, fields FROM documents WHERE key = ?", (key,)).fetchone()
    if found is None:
        return
    row, fields = int(found[0]), _unpack(found[1])
    # A contentless table forgets a row only when it is told the very words that it was given.
    connection.execute(
        f"INSERT INTO words (words, rowid, {_COLUMNS}) VALUES ('delete', ?, {_MARKS})",  # noqa: S608  constants only
        (row, *_texts(_group(fields))),
    )
    connection.execute("DELETE FROM documents WHERE row = ?", (row,))
    lengths.subtract({name: sum(tokens.values()) for name, tokens in fields.items()})


def _free_row(connection: sqlite3.Connection, position: int, *, is_issue: bool) -> int:
    first, last = _rows(position - 1, position, is_issue=is_issue)
    highest = connection.execute(
        "SELECT max(row) FROM documents WHERE row BETWEEN ? AND ?", (first, last)
    ).fetchone()[0]
    return first if highest is None else int(highest) + 1


def _rows(after: int, until: int, *, is_issue: bool) -> tuple[int, int]:
    """First and last row number of the documents with ``after < position <= until``."""
    base = _ISSUE_ROWS if is_issue else 0
    start, end = (max(-1, min(place, _LAST_POSITION)) + 2 for place in (after, until))
    if after < -1:
        start = 0
    return base + start * _ROWS_A_POSITION, base + end * _ROWS_A_POSITION - 1


def _group(fields: Mapping[str, Mapping[str, int]]) -> _Groups:
    grouped: dict[str, dict[int, list[str]]] = {}
    for name in FIELDS:
        counts: dict[int, list[str]] = {}
        for token, count in fields.get(name, {}).items():
            if count in counts:
                counts[count].append(token)
            else:
                counts[count] = [token]
        if counts:
            grouped[name] = counts
    return {
        name: {count: " ".join(tokens) for count, tokens in counts.items()}
        for name, counts in grouped.items()
    }


def _texts(groups: _Groups) -> tuple[str, ...]:
    """The text of each column: each token as often as it counts; the same for the same fields."""
    return tuple(
        " ".join(
            [
                " ".join([tokens] * min(count, _MAX_REPEATS))
                for count, tokens in groups.get(name, {}).items()
            ]
        )
        for name in FIELDS
    )


def _unpack(blob: bytes) -> dict[str, dict[str, int]]:
    grouped: dict[str, dict[str, str]] = json.loads(zlib.decompress(blob))
    fields: dict[str, dict[str, int]] = {name: {} for name in FIELDS}
    for name, counts in grouped.items():
        for count, tokens in counts.items():
            fields[name].update(dict.fromkeys(tokens.split(" "), int(count)))
    return fields


def _batches(keys: Sequence[str], size: int = 500) -> Iterator[list[str]]:
    for start in range(0, len(keys), size):
        yield list(keys[start : start + size])
