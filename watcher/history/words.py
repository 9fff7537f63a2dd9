"""What git says of a landed change + what GitHub says of its pull request -> the fuller change.

Pure. Git stays the truth for what landed, when and under which subject; GitHub adds the description
where the commit has none, labels with their facets, and what it closes.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.issue import PullRequestWords
from watcher.facts.kind import Kind
from watcher.facts.message import Mention, MentionKind, Message
from watcher.history.mentions import MENTION_LIMIT, find_mentions
from watcher.history.message import facets_of, parse_message
from watcher.upstreams.profile import Profile

_Value = TypeVar("_Value")


class _Told(Struct, frozen=True):
    """A commit with the description of its pull request in place of its own."""

    sha: str
    parents: tuple[str, ...]
    committed_at: datetime
    message: str


def enrich(
    change: Change, words: PullRequestWords, profile: Profile, common_lines: frozenset[str]
) -> Change:
    """The change with what its pull request says. Repeating it changes nothing.

    ``common_lines`` is ``body.boilerplate`` of the descriptions.
    """
    message = change.message
    described = f"{message.subject}\n\n{words.body}"
    told = parse_message(
        _Told(message.sha, message.parents, message.committed_at, described), profile, common_lines
    )
    return replace(
        change,
        message=_joined(message, told, words),
        labels=words.labels,
        facets=_union(change.facets, _label_facets(words.labels, profile)),
        has_words=True,
    )


def _label_facets(labels: tuple[str, ...], profile: Profile) -> tuple[str, ...]:
    """Free facets that labels name.

    Bots set the labels of exclusive groups (``rocm``) for a single touched path; for those the
    title and the bulk of the files speak.
    """
    free = {rule.name for rule in profile.facets if rule.group is None}
    return tuple(name for name in facets_of("\n".join(labels), profile) if name in free)


def named_issues(changes: Iterable[Change]) -> tuple[int, ...]:
    """Numbers that landed changes close or say they are about, in order of mention."""
    found: dict[int, None] = {}
    for change in changes:
        for number in _named(change.message.closes, change.message.mentions):
            found[number] = None
    return tuple(found)


def named_by_words(words: PullRequestWords, profile: Profile) -> tuple[int, ...]:
    """Numbers that a pull request closes or says it is about."""
    told = find_mentions(f"{words.title}\n\n{words.body}", profile.upstreams, own=words.number)
    return tuple(dict.fromkeys((*words.closes, *_named(told.closes, told.mentions))))


def _named(closes: Iterable[int], mentions: Iterable[Mention]) -> list[int]:
    about = (
        mention.number
        for mention in mentions
        if mention.kind is MentionKind.ABOUT and mention.number is not None
    )
    return [*closes, *about]


def _joined(message: Message, told: Message, words: PullRequestWords) -> Message:
    known = {(one.kind, one.number, one.sha, one.title) for one in message.mentions}
    added = tuple(
        one for one in told.mentions if (one.kind, one.number, one.sha, one.title) not in known
    )
    is_fuller = len(told.body) > len(message.body)
    return replace(
        message,
        body=told.body if is_fuller else message.body,
        raw_body=words.body if is_fuller else message.raw_body,
        kind=told.kind if message.kind is Kind.OTHER else message.kind,
        closes=_union(message.closes, told.closes, words.closes),
        mentions=(*message.mentions, *added)[:MENTION_LIMIT],
    )


def _union(*parts: tuple[_Value, ...]) -> tuple[_Value, ...]:
    return tuple(dict.fromkeys(value for part in parts for value in part))
