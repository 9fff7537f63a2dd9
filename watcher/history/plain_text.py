"""Strangers' text -> text that is safe to store and show: bounded, valid, without control codes.

Pure. What counts as plain is said once, in ``history.body``.
"""

from __future__ import annotations

from typing import Final

from watcher.history.body import RAW_LIMIT, plain_text

TITLE_LIMIT: Final = 300
"""Characters kept of a title."""
CUT_MARK: Final = "\n[cut]"
"""Ends a text that was longer than its limit."""


def bounded_text(text: str, limit: int = RAW_LIMIT) -> str:
    """The text made plain, at most ``limit`` characters and a mark when it was cut."""
    kept = plain_text(text[:limit])
    return kept + CUT_MARK if len(text) > limit else kept


def bounded_line(text: str, limit: int = TITLE_LIMIT) -> str:
    """The text made plain, as one line cut without a mark: white space runs become one blank each.

    For what is stored and compared; ``report.escape.one_line`` cuts for readers, with an ellipsis.
    """
    return " ".join(plain_text(text[: 4 * limit]).split())[:limit]
