"""A commit's raw message -> ``facts.Message``, by the upstream's profile. Pure; never raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

from watcher.facts.message import Mention, MentionKind, Message
from watcher.history.body import RAW_LIMIT, clean_body, own_lines, valid_text
from watcher.history.mentions import find_mentions
from watcher.history.titles import Title, kind_of, parse_title
from watcher.upstreams.profile import Landing, Profile

_SUBJECT_LIMIT: Final = 1_000
_SUBJECT_END: Final = 40
_MERGE: Final = re.compile(r"Merge (?:pull request|PR) #(\d{1,9})\b")
_TRAILER: Final = re.compile(
    r"^[ \t]*Pull[ -]Request(?:[ -]resolved)?[ \t]*:[ \t]*(?:https?://github\.com/"
    r"(?P<name>[\w.-]{1,100}/[\w.-]{1,100})/pull/|#)(?P<number>\d{1,9})\b",
    re.IGNORECASE | re.MULTILINE,
)


_LIST: Final = r"#?(?P<{}>\d{{2,7}}(?:\s*(?:,|and|&)+\s*#?\d{{2,7}}){{0,8}})\b"
_LISTED: Final = re.compile(
    rf"^(?:(?:prs?|pull requests?|commits?)\s*)?{_LIST.format('first')}"
    rf"|\({_LIST.format('bracketed')}\)"
    rf"|(?<! in)(?<!from) (?=#){_LIST.format('last')}\s*$",
    re.IGNORECASE,
)
"""Numbers that a hand-written revert lists instead of a title."""


class RawCommit(Protocol):
    """A commit as ``git log`` prints it (``ports.RawMessage`` is one)."""

    @property
    def sha(self) -> str:
        """Full object name."""
        ...

    @property
    def parents(self) -> tuple[str, ...]:
        """Full object names of the parents."""
        ...

    @property
    def committed_at(self) -> datetime:
        """Commit time, aware."""
        ...

    @property
    def message(self) -> str:
        """Subject, blank line, body."""
        ...


def parse_message(raw: RawCommit, profile: Profile, common_lines: frozenset[str]) -> Message:
    """What a landed commit's message says.

    ``common_lines`` is ``body.boilerplate`` of the upstream's raw bodies.
    """
    subject, body = split_message(raw.message)
    title = parse_title(subject, profile.title_pattern)
    if _MERGE.match(subject) and body.strip():
        title = parse_title(body.strip().split("\n", 1)[0], profile.title_pattern)
    number = _number(subject, body, title, profile)
    own = own_lines(body, profile)
    upstreams = profile.upstreams
    references = find_mentions(f"{_plain_title(title)}\n\n{own}", upstreams, own=number)
    cleaned = clean_body(own, profile, common_lines)
    return Message(
        sha=raw.sha,
        committed_at=raw.committed_at,
        subject=subject,
        title=title.title or raw.sha[:9],
        number=number,
        body=cleaned,
        raw_body=body,
        kind=kind_of(title, profile, closes=bool(references.closes), body=cleaned),
        breaking=title.is_breaking,
        tags=title.tags,
        facets=facets_of(title.title, profile, title.tags),
        closes=references.closes,
        mentions=(*_title_mentions(title, number), *references.mentions),
        parents=raw.parents,
    )


def split_message(message: str) -> tuple[str, str]:
    """(subject, raw body), both valid text and bounded; leading blank lines are passed over."""
    text = valid_text(message[: RAW_LIMIT + 2 * _SUBJECT_LIMIT]).lstrip("\n")
    subject, _, body = text.partition("\n")
    return _shortened(subject.rstrip()), body.strip("\n")[:RAW_LIMIT]


def _shortened(subject: str) -> str:
    """A subject of bounded length; a longer one keeps its end, where the number stands."""
    if len(subject) <= _SUBJECT_LIMIT:
        return subject
    head = subject[: _SUBJECT_LIMIT - _SUBJECT_END - 2]
    return f"{head}… {subject[-_SUBJECT_END:]}"


def facets_of(text: str, profile: Profile, tags: Sequence[str] = ()) -> tuple[str, ...]:
    """Facets whose words occur in a title or that a tag names, in the order of the profile."""
    return tuple(
        rule.name for rule in profile.facets if rule.name in tags or rule.words.search(text)
    )


def _number(subject: str, body: str, title: Title, profile: Profile) -> int | None:
    merge = _MERGE.match(subject)
    by_title = int(merge.group(1)) if merge else (title.numbers[-1] if title.numbers else None)
    by_trailer = _trailer_number(body, profile)
    if profile.landing is Landing.BOT_TRAILER:
        return by_trailer or by_title
    return by_title or by_trailer


def _trailer_number(body: str, profile: Profile) -> int | None:
    if not any(word in body for word in ("ull Request", "ull-Request", "ull request")):
        return None
    names = {name.lower() for name in profile.upstreams}
    found: int | None = None
    for match in _TRAILER.finditer(body):
        name = match.group("name")
        if name is None or not names or name.lower() in names:
            found = int(match.group("number"))
    return found


def _plain_title(title: Title) -> str:
    """The title for reference finding; what a revert quotes is read by ``reverts`` alone."""
    return "" if title.reverts or title.is_reland else title.title


def _listed(quoted: str) -> tuple[int, ...]:
    return tuple(
        int(number)
        for match in _LISTED.finditer(quoted)
        for number in re.findall(r"\d+", match.group(0))
    )


def _title_mentions(title: Title, number: int | None) -> tuple[Mention, ...]:
    quote = title.title[:120]
    if title.reverts or title.is_reland:
        kind = MentionKind.REVERTS if title.reverts % 2 else MentionKind.RELANDS
        inner = parse_title(title.quoted)
        numbers = dict.fromkeys((*inner.numbers, *title.numbers, *_listed(title.quoted)))
        return (
            Mention(kind, None, None, inner.title[:200], quote),
            *(Mention(kind, other, quote=quote) for other in numbers if other != number),
        )
    return tuple(
        Mention(MentionKind.PLAIN, other, quote=quote) for other in title.numbers if other != number
    )
