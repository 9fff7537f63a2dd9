"""A commit as the mirror gave it -> the change, the row and the document that are kept of it.

Pure. Made for a second process: everything that goes in and comes out is small and can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts
from watcher.facts.document import Document
from watcher.history.diff_facts import DiffText, facts_of_text
from watcher.history.facets import FacetReader
from watcher.history.message import parse_message
from watcher.matching.document import document
from watcher.ports.index import PackedDocument
from watcher.ports.mirror import RawMessage
from watcher.ports.store import PackedChange
from watcher.upstreams.profile import Profile


class RawChange(Struct, frozen=True):
    """A commit with its place, its message and what its diff changed."""

    message: RawMessage
    text: DiffText
    branch: str
    position: int | None


class ReadChange(Struct, frozen=True):
    """A commit with all that is kept of it."""

    light: Change
    """For linking: without identifiers, strings, origins and raw body."""
    row: PackedChange
    document: PackedDocument


class ReadingRules(Struct, frozen=True, kw_only=True):
    """What decides how the commits of an upstream are read; ``reader`` is made once a process."""

    upstream: str
    profile: Profile
    boilerplate: frozenset[str]
    pack_change: Callable[[Change], PackedChange]
    pack_document: Callable[[Document], PackedDocument]

    def reader(self) -> Callable[[RawChange], ReadChange]:
        """What reads one commit after the other."""
        facets = FacetReader(self.profile)

        def read(raw: RawChange) -> ReadChange:
            message = parse_message(raw.message, self.profile, self.boilerplate)
            facts = facts_of_text(raw.text)
            change = Change(
                upstream=self.upstream,
                branch=raw.branch,
                position=raw.position,
                message=message,
                diff=facts,
                facets=facets.of_change(message, facts.files),
            )
            return ReadChange(
                _light(change), self.pack_change(change), self.pack_document(document(change))
            )

        return read


def _light(change: Change) -> Change:
    message = replace(change.message, raw_body="")
    return replace(change, message=message, diff=DiffFacts(files=change.diff.files))
