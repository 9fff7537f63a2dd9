"""Words of a message -> which changes and issues of its upstream it names, and how. Pure.

References become marks first (numbers, links, object names, quoted titles); then the words right
before and after each mark decide. Only a bounded window around a mark is read, so that no text is
slow.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from msgspec import Struct, field

from watcher.facts.message import Mention, MentionKind
from watcher.history import phrases
from watcher.history.body import without_code

_REFERENCE_LIMIT: Final = 80
"""References of one message that are looked at."""
MENTION_LIMIT: Final = 40
_TEXT_LIMIT: Final = 24_000
_BEFORE: Final = 110
_AFTER: Final = 70
_MARK: Final = re.compile(r"\x02(\d+)\x03")

_OBJECT_NAME: Final = re.compile(r"\b[0-9a-f]{7,40}\b")
_NUMBER: Final = re.compile(r"#(\d{1,7})\b(?!\.\d)")
_PREFIX: Final = re.compile(r"[\w.-]{1,100}(?:/[\w.-]{1,100})?$")
"""What stands right before ``#7``: nothing, ``PR``, or the name of a repository."""
_QUOTED: Final = re.compile(r"[\"“`]([^\"”`\n\x02]{16,200})[\"”`]")
_LINK: Final = re.compile(r"https?://[^\s)>\]]{1,500}")
_LINK_TEXT: Final = re.compile(r"\[([^\[\]]{0,160})\]\(\s*([^\s()]{1,300})[^()\n]{0,80}\)")
_OWN_WORDS: Final = frozenset({"pr", "main", "gh", "issue", "pull", "mr"})


class _Reference(Struct, frozen=True):
    number: int | None = None
    sha: str | None = None
    title: str | None = None

    def __str__(self) -> str:
        if self.number is not None:
            return f"#{self.number}"
        return self.sha or f'"{self.title or ""}"'


class Mentions(Struct, frozen=True):
    """What a message refers to."""

    closes: tuple[int, ...]
    """Numbers behind a closing keyword, in order."""
    mentions: tuple[Mention, ...]
    """One a reference and kind, telling ones first, at most 40."""


def find_mentions(text: str, upstreams: tuple[str, ...], *, own: int | None = None) -> Mentions:
    """References of a message's text (title, blank line, body without template).

    ``upstreams`` are the names under which the upstream is or was known: links to others are not
    references. ``own`` is the change's own number, which never refers to another. Never raises.
    """
    marker = _Marker(frozenset(name.lower() for name in upstreams), _own_link(upstreams))
    marked = marker.mark(without_code(text[:_TEXT_LIMIT]))
    references = marker.references
    closes: dict[int, None] = {}
    found: dict[tuple[MentionKind, _Reference], str] = {}
    for match in _MARK.finditer(marked):
        reference = references[int(match.group(1))]
        if reference.number is not None and reference.number == own:
            continue
        before = phrases.same_passage(marked[max(0, match.start() - _BEFORE) : match.start()])
        after = marked[match.end() : match.end() + _AFTER]
        kind, is_closing = _kind(before, after, reference)
        if is_closing and reference.number is not None:
            closes[reference.number] = None
        if kind is not None:
            found.setdefault((kind, reference), _quote(before, reference, after, references))
    return Mentions(tuple(closes), _limited(found))


def _limited(found: dict[tuple[MentionKind, _Reference], str]) -> tuple[Mention, ...]:
    telling = {reference for kind, reference in found if kind is not MentionKind.PLAIN}
    mentions = [
        Mention(kind, reference.number, reference.sha, reference.title, quote)
        for (kind, reference), quote in found.items()
        if kind is not MentionKind.PLAIN or reference not in telling
    ]
    mentions.sort(key=lambda mention: mention.kind is MentionKind.PLAIN)
    return tuple(mentions[:MENTION_LIMIT])


# --- marking ---


class _Marker(Struct):
    """Replaces references by marks and keeps them in order."""

    names: frozenset[str]
    """Names of the upstream, lower case."""
    own_link: re.Pattern[str]
    references: list[_Reference] = field(default_factory=list)

    def mark(self, text: str) -> str:
        marked = text
        if "](" in marked:
            marked = _LINK_TEXT.sub(self._link_text, marked)
        if "://" in marked:
            marked = _LINK.sub(self._link, marked)
        if "#" in marked:
            marked = self._numbers(marked)
        marked = _OBJECT_NAME.sub(self._object_name, marked)
        return _QUOTED.sub(self._quoted, marked)

    def _put(self, reference: _Reference) -> str:
        if len(self.references) >= _REFERENCE_LIMIT:
            return " "
        self.references.append(reference)
        return f" \x02{len(self.references) - 1}\x03 "

    def _link_text(self, match: re.Match[str]) -> str:
        """A Markdown link to this upstream is its address; to elsewhere, its text, numberless."""
        if self.own_link.match(match.group(2)):
            return f" {match.group(2)} "
        return match.group(1).replace("#", " ")

    def _link(self, match: re.Match[str]) -> str:
        own = self.own_link.match(match.group(0))
        if own is None:
            return " "
        if own.group("sha"):
            return self._put(_Reference(sha=own.group("sha")))
        return self._put(_Reference(number=int(own.group("number"))))

    def _numbers(self, text: str) -> str:
        parts: list[str] = []
        at = 0
        for match in _NUMBER.finditer(text):
            head = text[at : match.start()]
            at = match.end()
            prefix = _PREFIX.search(head[-201:])
            if prefix is None and not head.endswith(("/", "&", "#")):
                parts += [head, self._put(_Reference(number=int(match.group(1))))]
                continue
            word = prefix.group(0).lower() if prefix else "?"
            cut = len(word) if prefix else 0
            is_own = word in self.names or word in _OWN_WORDS
            mark = self._put(_Reference(number=int(match.group(1)))) if is_own else " "
            parts += [head[: len(head) - cut], mark]
        return "".join([*parts, text[at:]])

    def _quoted(self, match: re.Match[str]) -> str:
        """A quoted text of three words or more may be a title; a shorter one is code."""
        is_title = len(match.group(1).split()) >= 3
        return self._put(_Reference(title=match.group(1))) if is_title else match.group(0)

    def _object_name(self, match: re.Match[str]) -> str:
        name = match.group(0)
        before = match.string[match.start() - 1 : match.start()]
        if name.isdigit() or name.isalpha() or before in {".", "/", "@", "-", "\x02"}:
            return name
        return self._put(_Reference(sha=name))


@lru_cache(maxsize=16)
def _own_link(upstreams: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in upstreams) or "(?!)"
    return re.compile(
        rf"https?://(?:www\.)?github\.com/(?:{names})/(?:(?:pull|issues)/(?P<number>\d{{1,7}})"
        rf"|commit/(?P<sha>[0-9a-f]{{7,40}}))\b",
        re.IGNORECASE,
    )


# --- judging ---


def _kind(before: str, after: str, reference: _Reference) -> tuple[MentionKind | None, bool]:
    """(kind, is a closing reference). None: a quoted text that nothing calls a change."""
    is_closing = reference.number is not None and phrases.is_closing(before)
    kind = phrases.kind_before(before) or phrases.kind_after(after)
    if kind is MentionKind.ABOUT and is_closing:
        kind = MentionKind.PLAIN
    if kind is None and reference.title is None:
        kind = MentionKind.PLAIN
    return kind, is_closing


def _quote(before: str, reference: _Reference, after: str, references: list[_Reference]) -> str:
    def spelled(text: str) -> str:
        text = _MARK.sub(lambda m: str(references[int(m.group(1))]), text)
        return " ".join(re.sub(r"\x02\d*|\d*\x03", " ", text).split())

    head = spelled(before)[-60:]
    if len(head) == 60 and " " in head:
        head = head.split(" ", 1)[1]
    tail = spelled(after)[:30]
    if len(tail) == 30 and " " in tail:
        tail = tail.rsplit(" ", 1)[0]
    return f"{head} {reference} {tail}".strip()[:120]
