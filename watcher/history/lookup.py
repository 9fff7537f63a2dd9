"""All changes of an upstream -> one order, and look-ups by number, object name and title. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from msgspec import Struct, field

from watcher.facts.change import Change
from watcher.facts.issue import PullRequestWords
from watcher.facts.kind import Kind
from watcher.facts.message import Mention, Message

_NUMBERS_AT_END: Final = re.compile(
    r"(?:\s*(?:\(#\d{1,9}\)|#\d{2,9}))+\s*$|\s*(?:\(#?\d{0,9})?(?:…|\.{3})\s*$"
)
"""Also the ellipsis of a title that was cut, with the number that it cut."""
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_LEADING: Final = re.compile(
    r"\s*(?:\[[^\]]{0,200}\]\s*:?\s*|[\w, /]{1,30}(?:\([^()]{0,60}\))?!?:\s+"
    r"|(?:cherry-?pick|back-?port)(?:ed)?\b[\s:-]+(?:of\s+)?)",
    re.IGNORECASE,
)
_LONG_TITLE: Final = 20
"""Letters from which the start of a title may stand for it (git hosts cut long titles)."""


class LinkInput(Struct, frozen=True, kw_only=True):
    """What linking needs of a change: no diff."""

    sha: str
    branch: str
    position: int | None
    message: Message
    closes: tuple[int, ...] = ()
    """Issues that it closes, by its message and by GitHub."""
    functions: frozenset[str] = frozenset()
    """Last names of the functions that shipped files change."""

    @property
    def is_fix(self) -> bool:
        """True for a change that mends something."""
        return self.message.kind is Kind.FIX


def link_input(change: Change, words: PullRequestWords | None = None) -> LinkInput:
    """The light row of a change, with what GitHub adds to it."""
    names = (
        name.rpartition(".")[2]
        for file in change.diff.files
        if file.role.is_shipped
        for name in file.functions
    )
    return LinkInput(
        sha=change.sha,
        branch=change.branch,
        position=change.position,
        message=change.message,
        closes=tuple(dict.fromkeys((*change.message.closes, *(words.closes if words else ())))),
        functions=frozenset(names),
    )


@lru_cache(maxsize=65_536)
def normal_title(title: str) -> str:
    """Letters and digits of a title in lower case, without the numbers at its end."""
    return _NOT_LETTERS.sub("", _NUMBERS_AT_END.sub("", title)).lower()


@lru_cache(maxsize=65_536)
def core_title(title: str) -> str:
    """``normal_title`` without leading tags, type and "cherry-pick"."""
    rest = title
    for _ in range(12):
        match = _LEADING.match(rest)
        if match is None:
            break
        rest = rest[match.end() :]
    return normal_title(rest)


def in_order(changes: Iterable[LinkInput]) -> list[LinkInput]:
    """Changes in the order of landing: the tracked line by position, branches woven in by time."""
    keyed: list[tuple[datetime, int, int, LinkInput]] = []
    latest: dict[str, datetime] = {}
    rows = sorted(
        enumerate(changes),
        key=lambda row: (row[1].position is None, row[1].position or 0, row[0]),
    )
    for at, (_, change) in enumerate(rows):
        line = "" if change.position is not None else change.branch
        landed = max(change.message.committed_at, latest.get(line, change.message.committed_at))
        latest[line] = landed
        keyed.append((landed, change.position is None, at, change))
    keyed.sort(key=lambda row: row[:3])
    return [row[3] for row in keyed]


class ChangeIndex(Struct):
    """Look-ups over changes in order. Changes are told by their ordinal in ``changes``."""

    changes: Sequence[LinkInput]
    _by_number: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _by_title: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _shas: list[tuple[str, int]] = field(default_factory=list)
    _titles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for at, change in enumerate(self.changes):
            if change.message.number is not None:
                self._by_number[change.message.number].append(at)
            self._by_title[normal_title(change.message.title)].append(at)
        self._shas = sorted((change.sha, at) for at, change in enumerate(self.changes))
        self._titles = sorted(self._by_title)

    def is_change(self, number: int) -> bool:
        """True when a change has this number."""
        return number in self._by_number

    def of_number(self, number: int, *, before: int, branch: str = "") -> int | None:
        """The last change before an ordinal that has a number, one of the branch first."""
        return self._last(self._by_number.get(number, ()), before, branch)

    def all_of_number(self, number: int) -> Sequence[int]:
        """All changes with a number, in order."""
        return self._by_number.get(number, ())

    def all_of_title(self, title: str) -> Sequence[int]:
        """All changes with the same letters in their title, in order."""
        return self._by_title.get(normal_title(title), ())

    def of_sha(self, sha: str) -> int | None:
        """The change whose object name starts so; None when there is none or more than one."""
        at = bisect_left(self._shas, (sha,))
        found = [entry for entry in self._shas[at : at + 2] if entry[0].startswith(sha)]
        return found[0][1] if len(found) == 1 else None

    def of_title(self, title: str, *, before: int, branch: str = "") -> int | None:
        """The last change before an ordinal with this title, or with a title that starts so."""
        wanted = normal_title(title)
        if not wanted:
            return None
        exact = self._last(self._by_title.get(wanted, ()), before, branch)
        return exact if exact is not None else self._last(self.titled_from(title), before, branch)

    def titled_from(self, title: str) -> list[int]:
        """Changes whose title starts with a title long enough to tell, in order."""
        wanted = normal_title(title)
        if len(wanted) < _LONG_TITLE:
            return []
        at = bisect_left(self._titles, wanted)
        candidates: list[int] = []
        for known in self._titles[at : at + 20]:
            if not known.startswith(wanted):
                break
            candidates += self._by_title[known]
        return sorted(candidates)

    def resolve(self, mention: Mention, *, before: int, branch: str = "") -> int | None:
        """The earlier change that a mention names, or None."""
        if mention.sha is not None:
            at = self.of_sha(mention.sha)
            return at if at is not None and at < before else None
        if mention.number is not None:
            return self.of_number(mention.number, before=before, branch=branch)
        if mention.title is not None:
            return self.of_title(mention.title, before=before, branch=branch)
        return None

    def _last(self, ordinals: Sequence[int], before: int, branch: str) -> int | None:
        earlier = ordinals[: bisect_left(ordinals, before)]
        for at in reversed(earlier):
            if self.changes[at].branch == branch:
                return at
        return earlier[-1] if earlier else None
