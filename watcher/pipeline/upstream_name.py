"""The name that a renamed repository has now: noted when GitHub tells it, shown with the pins."""

from __future__ import annotations

from typing import Final

from watcher.ports.store import Store
from watcher.report.words import renamed_phrase

_RENAMED: Final = "github-name"


def note_name(store: Store, upstream: str, present: str) -> str | None:
    """Keep the name that GitHub gives for an upstream; a line to tell when it is another one."""
    if not present:
        return None
    is_other = present.lower() != upstream.lower()
    wanted = present if is_other else None
    if store.document(_RENAMED, upstream) != wanted:
        store.save_document(_RENAMED, upstream, wanted)
    return renamed_phrase(upstream, present) if is_other else None


def renamed_to(store: Store, upstream: str) -> str | None:
    """The name that GitHub last gave for an upstream, or None when it is the one asked by."""
    stored = store.document(_RENAMED, upstream)
    return stored if isinstance(stored, str) else None
