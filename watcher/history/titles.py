"""The first line of a commit message -> title, numbers, tags, type, kind, breaking. Pure.

Read leniently: upstreams that enforce a grammar still land titles that miss a space, a type or a
module.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from watcher.facts.kind import Kind
from watcher.history.body import plain_text
from watcher.upstreams.profile import Profile, Regex

TITLE_LIMIT: Final = 500
_SUBJECT_LIMIT: Final = 1_000

_NUMBERS_AT_END: Final = re.compile(r"(?:\s*\((?:[\w.-]{1,100}/[\w.-]{1,100})?#\d{1,9}\))+\s*$")
_OWN_NUMBER: Final = re.compile(r"\(#(\d{1,9})\)")
_TAG: Final = re.compile(r"\s*[\[【]([^\]】]{0,200})[\]】]\s*:?")
_TYPE: Final = re.compile(
    r"\s*([A-Za-z][A-Za-z/ ]{0,24}?)\s?(?:\(([^()]{0,80})\))?\s?(!?)\s?[:：]\s*(?=\S|$)"
)
_LEADING_WORD: Final = re.compile(r"\s*([A-Za-z]+)\b")
_PART: Final = re.compile(r"\d{1,3}/(?:\d{1,3}|n)", re.IGNORECASE)
_REVERT: Final = re.compile(
    r"(?:revert(?:ed|ing|s)?|back(?:ing|ed)? ?out)\b(?![-_])[\s:]*", re.IGNORECASE
)
_RELAND: Final = re.compile(r"re-?(?:land|apply|applied|merge)(?:ed|ing|s)?\b", re.IGNORECASE)
_QUOTES: Final = "\"'“”‘’`"
_MINOR: Final = frozenset({Kind.DOCS, Kind.CI, Kind.TEST})


class Title(Struct, frozen=True, kw_only=True):
    """What a subject says by its form."""

    title: str
    """Without the numbers at its end."""
    numbers: tuple[int, ...]
    """Numbers in brackets at its end, as they stand; the last one is the pull request's."""
    tags: tuple[str, ...]
    """Modules and bracket tags, lower case, in order, without BREAKING and part counts."""
    type: str
    """``feat`` of ``[x] feat: …`` or of ``feat(x): …``; empty when there is none."""
    text: str
    """What follows tags and type."""
    is_breaking: bool
    reverts: int = 0
    """How many times the title says revert: 2 for a revert of a revert."""
    is_reland: bool = False
    quoted: str = ""
    """Title of the change that is reverted or relanded, innermost, with its number if quoted."""


def parse_title(subject: str, grammar: Regex | None = None) -> Title:
    """A subject read by an upstream's own grammar, else by the one that all share in some form.

    ``grammar`` has the named groups of ``Profile.title_pattern``. Never raises.
    """
    line = " ".join(plain_text(subject[:_SUBJECT_LIMIT]).split())
    at_end = _NUMBERS_AT_END.search(line)
    head = line[: at_end.start()] if at_end else line
    numbers = tuple(map(int, _OWN_NUMBER.findall(at_end.group(0)))) if at_end else ()
    head = head.rstrip()[:TITLE_LIMIT]
    depth, is_reland, quoted = _unwrap(head)
    parts = _by_grammar(head, grammar) or _leniently(head)
    named = [name for tag in parts.tags for name in _modules(tag)]
    is_breaking = parts.is_marked or any(
        name.startswith(("breaking", "bc-breaking")) for name in named
    )
    return Title(
        title=head,
        numbers=numbers,
        tags=tuple(dict.fromkeys(name for name in named if name != "breaking")),
        type=parts.type,
        text=parts.text.strip(),
        is_breaking=is_breaking,
        reverts=depth,
        is_reland=is_reland,
        quoted=quoted,
    )


class _Parts(Struct, frozen=True):
    tags: tuple[str, ...]
    type: str
    is_marked: bool
    text: str


def _by_grammar(line: str, grammar: Regex | None) -> _Parts | None:
    match = grammar.match(line) if grammar else None
    if match is None:
        return None
    found = match.groupdict()
    return _Parts(
        tags=(found.get("tags") or "",),
        type=(found.get("type") or "").lower(),
        is_marked=bool(found.get("breaking")),
        text=found.get("text") or "",
    )


def _leniently(line: str) -> _Parts:
    tags, rest = _tags(line)
    match = _TYPE.match(rest)
    if match is None or len(match.group(1).split()) > 2:
        return _Parts(tuple(tags), "", is_marked=False, text=rest)
    scope = match.group(2) or ""
    return _Parts((*tags, scope), match.group(1).lower(), bool(match.group(3)), rest[match.end() :])


def _tags(line: str) -> tuple[list[str], str]:
    tags: list[str] = []
    at = 0
    while len(tags) < 12 and (match := _TAG.match(line, at)):
        tags.append(match.group(1))
        at = match.end()
    return tags, line[at:]


def _modules(tag: str) -> list[str]:
    names = (part.strip(" `'\"").lower() for part in re.split(r"[,，、]", tag))
    return [name for name in names if name and not _PART.fullmatch(name)]


def _unwrap(title: str) -> tuple[int, bool, str]:
    """(times reverted, is a reland, innermost quoted title)."""
    _, rest = _tags(title)
    typed = _TYPE.match(rest)
    if typed:
        rest = rest[typed.end() :]
    depth = 0
    is_reland = any("reland" in tag.lower() for tag in _tags(title)[0])
    rest = rest.strip()
    for _ in range(8):
        inner = rest.lstrip(_QUOTES + " ")
        if match := _REVERT.match(inner):
            depth += 1
        elif match := _RELAND.match(inner):
            is_reland = True
        else:
            break
        rest = inner[match.end() :].lstrip(": ")
    if not depth and not is_reland:
        return 0, False, ""
    return depth, is_reland, rest.strip(_QUOTES + " ")


def kind_of(title: Title, profile: Profile, *, closes: bool, body: str) -> Kind:
    """What the change is for: by a revert in the title, its type, its tags, its words.

    A fix under another name is found by words of the title, or by a closing reference together with
    words of a malfunction in the body.
    """
    if title.reverts and not _is_typed_fix(title, profile):
        return _kind_of_revert(title, profile)
    kind = _stated_kind(title, profile) or _kind_by_words(title, profile)
    if kind in _MINOR or kind in {Kind.FIX, Kind.REVERT}:
        return kind
    return Kind.FIX if _hides_fix(title, profile, closes=closes, body=body) else kind


def _is_typed_fix(title: Title, profile: Profile) -> bool:
    return _stated_kind(title, profile) is Kind.FIX


def _kind_of_revert(title: Title, profile: Profile) -> Kind:
    if title.reverts % 2:
        return Kind.REVERT
    inner = parse_title(title.quoted)
    return _stated_kind(inner, profile) or _kind_by_words(inner, profile)


def _stated_kind(title: Title, profile: Profile) -> Kind | None:
    """By type and tags alone; None when neither says."""
    by_type = _known(title.type, profile)
    by_tags = [kind for tag in title.tags if (kind := _known(tag, profile))]
    minor = [kind for kind in by_tags if kind in _MINOR]
    if by_type is Kind.FIX:
        return by_type
    if minor and (by_type is None or len(minor) == len(title.tags)):
        return minor[0]
    if by_type is not None:
        return by_type
    if Kind.FIX in by_tags:
        return Kind.FIX
    if by_tags:
        return by_tags[0]
    word = _LEADING_WORD.match(title.text)
    by_word = _known(word.group(1).lower(), profile) if word else None
    return by_word if by_word is Kind.FIX else None


def _known(tag: str, profile: Profile) -> Kind | None:
    value = profile.kinds.get(tag)
    return Kind(value) if value and value != Kind.OTHER else None


def _kind_by_words(title: Title, profile: Profile) -> Kind:
    words = f"{' '.join(title.tags)} {title.type} {title.text}"
    for kind, pattern in profile.kind_words:
        if pattern.search(words):
            return Kind(kind)
    return Kind.OTHER


def _hides_fix(title: Title, profile: Profile, *, closes: bool, body: str) -> bool:
    if profile.hidden_fix_words and profile.hidden_fix_words.search(title.text):
        return True
    return closes and profile.bug_words is not None and bool(profile.bug_words.search(body))
