"""A change or issue as the search sees it. Pure records."""

from __future__ import annotations

from msgspec import Struct


class Document(Struct, frozen=True, kw_only=True):
    """A change or issue as the search index and the text ranker see it: token counts per field.

    Fields: ``title``, ``body``, ``paths``, ``functions``, ``identifiers``, ``strings``.
    """

    key: str
    """``sha`` of a change, ``#number`` of an issue."""
    position: int
    """Position of the change; for issues and commits off the line, the position they are known
    from.
    """
    fields: dict[str, dict[str, int]]
