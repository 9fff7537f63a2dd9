"""A symptom as somebody typed and pasted it, for the faces that get it in one piece. Pure."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from watcher.errors import UsageError
from watcher.facts.symptom import Symptom
from watcher.symptom.parse import parse_symptom

_LONGEST_LINE: Final = 65_536
_MOST_SETTINGS: Final = 500


class Asking(Struct, frozen=True, kw_only=True):
    """What is asked, unparsed."""

    words: str = ""
    log: str = ""
    settings: tuple[str, ...] = ()
    """``key=value``."""
    last_good: str = ""
    """``[PIN=]REF``, or nothing."""
    at: tuple[str, ...] = ()
    as_of: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def overrides(self) -> tuple[str, ...]:
        """The settings, bounded."""
        return tuple(one.strip() for one in self.settings[:_MOST_SETTINGS] if one.strip())


def symptom_of(asking: Asking) -> Symptom:
    """The symptom. Raises UsageError when there is nothing to look for."""
    lines = (line[:_LONGEST_LINE] for line in asking.log.splitlines()) if asking.log else None
    symptom = parse_symptom(asking.words, lines, asking.overrides)
    if symptom.is_empty and not asking.last_good:
        raise UsageError("nothing to look for", mend="describe it in words, or paste a log")
    return symptom
