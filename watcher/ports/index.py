"""The full-text index of one upstream. Declarations, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

if TYPE_CHECKING:
    from watcher.facts.document import Document


class IndexStatistics(Struct, frozen=True, kw_only=True):
    """What BM25F needs to know of the corpus."""

    count: int
    average_lengths: dict[str, float] = field(default_factory=dict)
    """Field -> average number of tokens."""


class PackedDocument(Struct, frozen=True, kw_only=True):
    """A document in the form in which an index holds it."""

    key: str
    position: int
    fields: bytes
    texts: tuple[str, ...]
    """What is searched, column by column."""
    lengths: dict[str, int]
    """Field -> number of tokens."""


class Adding(Protocol):
    """Documents on their way into an index."""

    def add(self, document: PackedDocument) -> None:
        """Add a document, or replace the one of its key."""
        ...

    def mark(self, marker: str) -> None:
        """Note what the index holds once all is in."""
        ...


class Index(Protocol):
    """The full-text index of one upstream: an SQLite FTS5 file beside the mirror, derived, rebuilt
    at will.
    """

    @property
    def pack(self) -> Callable[[Document], PackedDocument]:
        """Pure, and can be handed to another process."""
        ...

    def add(self, documents: Iterable[Document]) -> None:
        """Add or replace documents by key, in one transaction."""
        ...

    def adding(self, *, anew: bool) -> AbstractContextManager[Adding]:
        """Add many documents; all are in when the block ends well, none when it does not.

        Meanwhile searches find what was there before. ``anew`` removes that.
        """
        ...

    def search(
        self,
        terms: Mapping[str, float],
        *,
        after: int,
        until: int,
        limit: int,
        issues: bool = False,
    ) -> list[tuple[str, float]]:
        """(key, score) of the best documents with ``after < position <= until``, best first."""
        ...

    def documents(self, keys: Sequence[str]) -> dict[str, Document]:
        """Documents by key."""
        ...

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """Number of documents that hold each term in any field."""
        ...

    def statistics(self) -> IndexStatistics:
        """Counts and average lengths."""
        ...

    def marker(self) -> str | None:
        """The last mark, None for a new or cleared index."""
        ...
