"""One line of an examination. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from watcher.errors import WatcherError


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that was looked at."""

    what: str
    is_good: bool
    detail: str
    mend: str = ""


def examined(what: str, look: Callable[[], str]) -> Finding:
    """The finding of one look: what it returns is good news, what it raises is bad."""
    try:
        return Finding(what=what, is_good=True, detail=look())
    except WatcherError as error:
        detail = f"{error.where}: {error.what}" if error.where else error.what
        return Finding(what=what, is_good=False, detail=detail, mend=error.mend)
