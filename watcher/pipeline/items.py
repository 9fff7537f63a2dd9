"""A change with its verdict and its judgement -> an ``Item``. Pure: names, addresses, sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.issue import Issue
from watcher.facts.item import Evidence, Item, Tier
from watcher.facts.kind import Kind, State
from watcher.facts.links import Links
from watcher.facts.presence import Verdict

_FILES_SHOWN: Final = 40


class Judgement(Struct, frozen=True, kw_only=True):
    """Tier, score and reasons of an item."""

    tier: Tier | None = None
    score: float | None = None
    constant: float = 0.0
    evidence: tuple[Evidence, ...] = ()


def item_name(pin: str, number: int | None, sha: str) -> str:
    """``verl#6463``, or ``verl@1a2b3c4d5`` for a commit without a pull request."""
    return f"{pin}#{number}" if number is not None else f"{pin}@{sha[:9]}"


def change_url(upstream: str, number: int | None, sha: str) -> str:
    """Where people read about a change."""
    place = f"pull/{number}" if number is not None else f"commit/{sha}"
    return f"https://github.com/{upstream}/{place}"


def change_item(
    pin: str,
    change: Change,
    links: Links | None,
    verdict: Verdict,
    judgement: Judgement,
    name_of: Callable[[str], str],
) -> Item:
    """The item of a landed change.

    Args:
        pin: Name of the pin.
        change: The change.
        links: Its links.
        verdict: Presence at the pin.
        judgement: Tier, score and reasons.
        name_of: Item name of another change by its sha.
    """

    def named(sha: str | None) -> str | None:
        return None if sha is None else name_of(sha)

    return Item(
        id=item_name(pin, change.number, change.sha),
        pin=pin,
        kind=change.message.kind,
        number=change.number,
        sha=change.sha,
        title=change.message.title,
        url=change_url(change.upstream, change.number, change.sha),
        merged_at=change.message.committed_at,
        state=State.MERGED,
        presence=verdict.presence,
        presence_detail=verdict.detail,
        introduced_by=named(verdict.introduced_by),
        withdrawn_by=named(verdict.withdrawn_by),
        tier=judgement.tier,
        score=judgement.score,
        constant=judgement.constant,
        evidence=judgement.evidence,
        family=_family(links, name_of),
        first_release=None if links is None else links.first_release,
        facets=change.facets,
        files=tuple(file.path for file in change.diff.files[:_FILES_SHOWN]),
    )


def issue_item(
    pin: str, issue: Issue, judgement: Judgement, *, mended_by: str | None, detail: str
) -> Item:
    """The item of a bug report."""
    return Item(
        id=f"{pin}#{issue.number}",
        pin=pin,
        kind=Kind.ISSUE,
        number=issue.number,
        title=issue.title,
        url=f"https://github.com/{issue.upstream}/issues/{issue.number}",
        opened_at=issue.opened_at,
        state=issue.state,
        mended_by=mended_by,
        presence_detail=detail,
        tier=judgement.tier,
        score=judgement.score,
        constant=judgement.constant,
        evidence=judgement.evidence,
        facets=issue.facets,
    )


def by_likeliness(items: Iterable[Item]) -> list[Item]:
    """Most likely first: tier, then score, then the later one."""
    return sorted(items, key=_place)


def _place(item: Item) -> tuple[int, float, float, str]:
    tier = len(Tier) if item.tier is None else item.tier.rank
    moment: datetime | None = item.merged_at or item.opened_at
    age = 0.0 if moment is None else -moment.timestamp()
    return (tier, -(item.score or 0.0), age, item.id)


def _family(links: Links | None, name_of: Callable[[str], str]) -> tuple[str, ...]:
    if links is None or len(links.family) < 2:
        return ()
    return tuple(dict.fromkeys(name_of(sha) for sha in links.family))
