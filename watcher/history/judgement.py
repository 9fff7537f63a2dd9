"""An issue + what landed on the branch -> what is really open, and who mends it.

Pure. GitHub's state is a hint only: an issue can be open long after its mend landed and closed by a
bot without any. A pull request mends an issue when it landed on the branch (git says so), was not
taken back, and says that it closes the issue, or GitHub links the two, or it is a fix whose words
name the issue.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.issue import Issue, IssueLink
from watcher.facts.kind import Kind, State
from watcher.facts.links import Links
from watcher.facts.message import Mention, MentionKind

_CHAIN_LIMIT: Final = 5
_TITLE_QUOTE: Final = 120
_FIX_TITLE: Final = re.compile(r"fix|bug|repair|resolv|correct|prevent|avoid|handle", re.IGNORECASE)


class Standing(StrEnum):
    """What an issue really is."""

    OPEN = "open"
    MENDED = "mended"
    """A change on the branch mends it, whatever GitHub's state."""
    MENDING = "mending"
    """A pull request that is still open would mend it."""
    NOT_MENDED = "closed-not-mended"
    """Closed by a bot or as not planned, and nothing that landed mends it."""
    DUPLICATE = "duplicate"
    CLOSED = "closed"
    """Closed by a person; nothing known landed for it."""


class Tie(StrEnum):
    """What makes a landed change the mend of an issue, strongest first."""

    CLOSES = "closes"
    LINKED = "linked"
    NAMED = "named"

    @property
    def rank(self) -> int:
        """0 for the strongest."""
        return list(Tie).index(self)


class Mend(Struct, frozen=True, kw_only=True):
    """A landed change that mends an issue."""

    sha: str
    number: int | None
    landed_at: datetime
    tie: Tie
    quote: str = ""
    """The words that name the issue."""


class Judgement(Struct, frozen=True, kw_only=True):
    """What an issue really is, and why."""

    standing: Standing
    detail: str
    """A sentence a person can check."""
    mends: tuple[Mend, ...] = ()
    """Landed changes that mend it, best first; for a duplicate, its original's."""
    withdrawn: tuple[int, ...] = ()
    """Pull requests that mended it and were reverted."""
    open_tries: tuple[int, ...] = ()
    failed_tries: tuple[int, ...] = ()
    """Pull requests closed unmerged that tried the same."""
    original: int | None = None

    @property
    def mended_by(self) -> Mend | None:
        """The best mend, or None."""
        return self.mends[0] if self.mends else None


class Landed:
    """What landed, by the issues that it closes or names: built once for many issues.

    A revert repeats the words of what it takes back, so what its target closed does not count.
    """

    def __init__(self, changes: Iterable[Change], links: Mapping[str, Links]) -> None:
        self._by_number: dict[int, list[Change]] = {}
        self._mends: dict[int, list[Mend]] = {}
        self._links = links
        listed = tuple(changes)
        closed_by = {change.sha: change.message.closes for change in listed}
        for change in listed:
            if change.number is not None:
                self._by_number.setdefault(change.number, []).append(change)
            self._note(change, closed_by)

    def mends(self, issue: Issue) -> list[Mend]:
        """Changes that mend an issue, best tie first, then in order of landing."""
        found = list(self._mends.get(issue.number, ()))
        for link in issue.links:
            if link.closes:
                found += [_mend(change, Tie.LINKED) for change in self._landed(link.number)]
        best: dict[str, Mend] = {}
        for mend in sorted(found, key=lambda one: one.tie.rank):
            if mend.landed_at >= issue.opened_at:
                best.setdefault(mend.sha, mend)
        return sorted(best.values(), key=lambda one: (one.tie.rank, one.landed_at))

    def is_standing(self, sha: str) -> bool:
        """True when no revert that stands took the change back."""
        links = self._links.get(sha)
        return links is None or links.withdrawn_by is None

    def has(self, number: int) -> bool:
        """True when a pull request landed."""
        return number in self._by_number

    def _landed(self, number: int) -> Sequence[Change]:
        return self._by_number.get(number, ())

    def _note(self, change: Change, closed_by: Mapping[str, tuple[int, ...]]) -> None:
        message = change.message
        links = self._links.get(change.sha)
        repeated = {
            number for sha in (links.reverts if links else ()) for number in closed_by.get(sha, ())
        }
        for number in message.closes:
            if number not in repeated:
                self._mends.setdefault(number, []).append(_mend(change, Tie.CLOSES))
        if message.kind is not Kind.FIX:
            return
        for mention in message.mentions:
            if mention.number is not None and _is_about(mention, message.title):
                mend = _mend(change, Tie.NAMED, mention.quote)
                self._mends.setdefault(mention.number, []).append(mend)


def _is_about(mention: Mention, title: str) -> bool:
    """True when the message says that it is about what it names, or names it in its title."""
    is_title = mention.kind is MentionKind.PLAIN and mention.quote == title[:_TITLE_QUOTE]
    return mention.kind is MentionKind.ABOUT or is_title


def _mend(change: Change, tie: Tie, quote: str = "") -> Mend:
    return Mend(
        sha=change.sha,
        number=change.number,
        landed_at=change.message.committed_at,
        tie=tie,
        quote=quote,
    )


def judge_issue(
    issue: Issue, landed: Landed, known: Mapping[int, Issue] | None = None
) -> Judgement:
    """What the issue really is. ``known`` issues by number serve to follow duplicates."""
    return _judge(issue, landed, known or {}, ())


def _judge(
    issue: Issue, landed: Landed, known: Mapping[int, Issue], path: tuple[int, ...]
) -> Judgement:
    found = landed.mends(issue)
    mends = tuple(mend for mend in found if landed.is_standing(mend.sha))
    withdrawn = tuple(
        mend.number for mend in found if mend not in mends and mend.number is not None
    )
    open_tries, failed_tries = _tries(issue, landed)
    original = _original(issue, landed, known, path)
    standing, detail = _standing(issue, mends, open_tries, original)
    if withdrawn and not mends:
        detail += f"; {_numbers(withdrawn)} mended it and was reverted"
    return Judgement(
        standing=standing,
        detail=detail,
        mends=mends or (original.mends if original else ()),
        withdrawn=withdrawn,
        open_tries=open_tries,
        failed_tries=failed_tries,
        original=issue.duplicate_of,
    )


def _original(
    issue: Issue, landed: Landed, known: Mapping[int, Issue], path: tuple[int, ...]
) -> Judgement | None:
    """The judgement of the issue that this one repeats, if we know it."""
    target = known.get(issue.duplicate_of) if issue.duplicate_of is not None else None
    if target is None or target.number in path or len(path) >= _CHAIN_LIMIT:
        return None
    return _judge(target, landed, known, (*path, issue.number))


def _standing(
    issue: Issue, mends: Sequence[Mend], open_tries: Sequence[int], original: Judgement | None
) -> tuple[Standing, str]:
    if mends and not _came_back(issue, mends[0]):
        return Standing.MENDED, _mended_sentence(issue, mends[0])
    if issue.duplicate_of is not None:
        told = f"duplicate of #{issue.duplicate_of}"
        return Standing.DUPLICATE, f"{told}: {original.detail}" if original else told
    if open_tries:
        return Standing.MENDING, f"{_numbers(open_tries)} would mend it and is still open"
    if issue.state is State.CLOSED:
        return _closed(issue)
    if mends:
        return Standing.OPEN, f"opened again after {_name(mends[0])} closed it"
    return Standing.OPEN, "open, and nothing that landed names it"


def _closed(issue: Issue) -> tuple[Standing, str]:
    if issue.closed_by_bot:
        return Standing.NOT_MENDED, "closed by a bot, and nothing that landed mends it"
    if issue.state_reason == "not_planned":
        return Standing.NOT_MENDED, "closed as not planned, and nothing that landed mends it"
    outside = [link for link in issue.links if link.closes and link.state is State.MERGED]
    if outside:
        return Standing.CLOSED, (
            f"closed; GitHub names {_numbers([link.number for link in outside])}, "
            "which is not among the changes at hand"
        )
    return Standing.CLOSED, "closed by hand; no landed change names it"


def _came_back(issue: Issue, mend: Mend) -> bool:
    """True when GitHub closed the issue for this change and somebody opened it again."""
    is_reopened = issue.state is State.OPEN and issue.state_reason == "reopened"
    return is_reopened and mend.tie is not Tie.NAMED


def _mended_sentence(issue: Issue, mend: Mend) -> str:
    state = "still open on GitHub" if issue.state is State.OPEN else "closed"
    reasons = {
        Tie.CLOSES: "it says that it closes this issue",
        Tie.LINKED: "GitHub links it to this issue",
        Tie.NAMED: f'a fix whose words name this issue: "{mend.quote}"',
    }
    return f"mended on the branch by {_name(mend)} ({reasons[mend.tie]}); {state}"


def _tries(issue: Issue, landed: Landed) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Pull requests that did not land: still open, and closed unmerged."""
    meant = [link for link in issue.links if _is_try(link) and not landed.has(link.number)]
    still_open = tuple(link.number for link in meant if link.state is State.OPEN)
    return still_open, tuple(link.number for link in meant if link.state is State.CLOSED)


def _is_try(link: IssueLink) -> bool:
    return link.closes or _FIX_TITLE.search(link.title) is not None


def _name(mend: Mend) -> str:
    return f"#{mend.number}" if mend.number is not None else mend.sha[:9]


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers)
