r"""How authors speak of other changes: the words before and after a reference -> its kind. Pure.

A reference stands as ``\x02N\x03`` in the text. Every pattern is tried on a window of about a
hundred characters that ends (or starts) at the reference, in lower case: half the time.
"""

from __future__ import annotations

import re
from typing import Final

from watcher.facts.message import MentionKind

_LINK_WORDS: Final = (
    r"(?:(?:the|this|that|an?|recent|earlier|previous|changes?|refactor\w*|merg\w*|commits?|prs?"
    r"|pull|requests?|patch|landing|main|in|of|by|from|my|and|made|issue)\b[\s:]*"
    r"|\x02\d+\x03\s*|[\[(,&/+:-]\s*){0,7}$"
)
"""What may stand between a phrase and its reference: articles, brackets, other references."""


def _before(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{phrase})\s*{_LINK_WORDS}", re.ASCII)


_CLOSING: Final = re.compile(
    r"(?<!similar )(?<!same )(?<!related )(?<!previous )(?<!earlier )(?<!the )"
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s*"
    r"(?:(?:issues?|bugs?|prs?)\s*:?\s*)?(?:\x02\d+\x03\s*(?:,|and|&)?\s*){0,8}$",
    re.ASCII,
)
"""GitHub's closing keywords right before a number, lists of numbers included."""

_FAULT: Final = (
    r"\b(?:introduc\w*|caus\w*|broke\w*|break\w*|regress\w*|trigger\w*|brought|bugs?|issues?|errors?"
    r"|fail\w*|crash\w*|problems?|mistake\w*|typos?|oversight|miss\w*|left\s?over|accidental\w*)"
    r"(?:\s+\w+){0,4}?\s+(?:in|by|from|since|after|with|of|due\s+to|because\s+of|on|at)\b"
)
_SINCE: Final = (
    r"\b(?:regression\s+(?:from|of|in)|regressed\s+in|broken\s+(?:by|in|since|after)"
    r"|bisect\w*\s+to|culprit(?:\s+is)?|first\s+bad\s+commit(?:\s+is)?"
    r"|offending\s+(?:commit|pr)(?:\s+is)?|due\s+to|because\s+of)"
)
_BEFORE_PATTERNS: Final[tuple[tuple[MentionKind, re.Pattern[str]], ...]] = (
    (
        MentionKind.BACKPORT_OF,
        _before(
            r"\b(?:cherry[- ]?pick\w*|back-?port\w*)(?:\s+(?:from|of|for|to|commit|upstream))*"
        ),
    ),
    (
        MentionKind.RELANDS,
        _before(
            r"\b(?:re-?land(?:s|ed|ing)?|re-?appl(?:y|ies|ied|ying)|re-?submit\w*"
            r"|revert(?:s|ed|ing)?\W{0,3}revert)(?:\s+of)?"
        ),
    ),
    (
        MentionKind.REVERTS,
        _before(r"(?:^|[\n(])[^\w\n]*(?:this\s+)?(?:fully\s+)?(?:reverts?|backs?\s?out)(?:\s+of)?"),
    ),
    (
        MentionKind.INTRODUCED_BY,
        _before(r"\brevert(?:s|ed|ing)?(?!\s+(?:in|by))(?:\s+of)?"),
    ),
    (
        MentionKind.INTRODUCED_BY,
        _before(r"\bfollow[\s-]?up\s+(?:bug\s*)?fix(?:es)?\s+(?:of|for|to|on)"),
    ),
    (
        MentionKind.FOLLOW_UP,
        _before(
            r"\b(?:follow(?:s|ing)?[\s-]?ups?(?:\s+\w+){0,2}?(?:\s+(?:to|of|on|for|from|after))?"
            r"|follow(?:s|ing)?\s+on\s+from|complet(?:es|ing|ion\s+of)|continu(?:es|ation\s+of)"
            r"|builds?\s+(?:up)?on|on\s+top\s+of|second\s+(?:half|part)\s+of)"
        ),
    ),
    (MentionKind.INTRODUCED_BY, _before(_FAULT)),
    (MentionKind.INTRODUCED_BY, _before(r"\bfix(?:es|ed|ing)?\s+(?:up\s+)?(?:for|of)\b")),
    (MentionKind.INTRODUCED_BY, _before(_SINCE)),
    (MentionKind.INTRODUCED_BY, re.compile(r"(?:^|\n)\s*fixes:\s*$", re.ASCII)),
    (
        MentionKind.AFTER,
        _before(r"(?:^|[.\n;:(,])\s*(?:- )?(?:after|since|as\s+of)|\bsince(?=\s+(?:pr\b|#|\x02))"),
    ),
    (
        MentionKind.ABOUT,
        _before(
            r"(?:^|\n)[^\w\n]*(?:issues?|bugs?|bug\s+report|related(?:\s+issues?)?|tracked\s+in)\s*:"
            r"|\b(?:relate[sd]?\s+to|address(?:es|ed|ing)?|for\s+issue|root\s+issue"
            r"|(?:similar|same)\s+(?:fix|bug|issue|problem|error|crash)(?:\s+\w+){0,2}?"
            r"|(?:fix|clos|resolv|mend|solv)\w*\s+(?:[\w/-]+\s+){1,6}?(?:of|for|in|from|part\s+of))"
        ),
    ),
)
_TRIGGER: Final = re.compile(
    r"introd|caus|bro[ku]|break|regress|trigger|bug|issue|error|fail|crash|probl|mistake|typo"
    r"|oversight|miss|left|accident|bisect|culprit|first|offend|due|because|cherry|back|land|appl"
    r"|submit|revert|follow|complet|contin|build|top of|second|after|since|as of|fix|relate|clos"
    r"|address|resolv|mend|solv|same|simil|tracked",
    re.ASCII,
)
"""A stem of every phrase: windows without one need no closer look."""
_MENDED: Final = re.compile(
    r"\b(?:solved|fixed|resolved|addressed|mitigated|mended)\s+(?:in|by|with)\b"
    r"|\bintroduc\w*\s+(?:an?\s+|the\s+)?(?:good|new|nice|support)",
    re.ASCII,
)
"""What sounds like blame and is none."""
_NEGATED: Final = re.compile(
    r"\b(?:not|isn.t|wasn.t|unrelated|similar\s+to|same\s+as|like\s+in|inspired|based\s+on"
    r"|depends\s+on|fixed\s+in|fixed\s+by|resolved\s+(?:in|by))\W*(?:\w+\W+){0,2}$",
    re.ASCII,
)
_AFTER_PATTERN: Final = re.compile(
    r"\s*[)\]]?\s*(?:\([^)\n]{0,60}\)\s*)?"
    r"(?:,?\s*(?:which|that|has|have|had|also|it|we|may|might|can|could|will|would|recently"
    r"|accidentally|mistakenly|inadvertently|unintentionally|incorrectly|wrongly|silently|already)"
    r"\s+){0,3}(?:introduc\w*|broke\b|breaks\b|caus(?:ed|es|e|ing)\b|regress\w*|forgot\b|missed\b"
    r"|misses\b|accidentally\b|mistakenly\b|inadvertently\b|unintentionally\b|incorrectly\b"
    r"|wrongly\b|didn['’]?t\b|did\s+not\b|does\s+not\b|doesn['’]?t\b|failed\s+to\b|left\b"
    r"|overlooked\b|neglected\b|lost\b|dropped\b)",
    re.ASCII,
)
_AFTER_ABOUT: Final = re.compile(
    r"\s*\(?\s*(?:root\s+(?:issue|cause)|same\s+(?:bug|issue))\b", re.ASCII
)
_ORIGINS: Final = frozenset({MentionKind.INTRODUCED_BY, MentionKind.AFTER})
_PARAGRAPH: Final = re.compile(r"\n\s*\n")


def same_passage(before: str) -> str:
    """The part of a window that belongs to the reference: since the last blank line."""
    return _PARAGRAPH.split(before)[-1]


def is_closing(window: str) -> bool:
    """Whether a closing keyword stands right before a reference."""
    return _CLOSING.search(window.lower()) is not None


def kind_before(passage: str) -> MentionKind | None:
    """What the words that end at a reference say about it, or None."""
    window = passage.lower()
    if _TRIGGER.search(window) is None:
        return None
    for kind, pattern in _BEFORE_PATTERNS:
        match = pattern.search(window)
        if match is not None and not (kind in _ORIGINS and _is_no_blame(window, match)):
            return kind
    return None


def _is_no_blame(window: str, match: re.Match[str]) -> bool:
    ahead = window[max(0, match.start() - 40) : match.start()]
    return _NEGATED.search(ahead) is not None or _MENDED.search(match.group(0)) is not None


def kind_after(passage: str) -> MentionKind | None:
    """What the words that follow a reference say about it, or None."""
    window = passage.lower()
    if _AFTER_PATTERN.match(window) and not _MENDED.match(window.lstrip(" )]")):
        return MentionKind.INTRODUCED_BY
    return MentionKind.ABOUT if _AFTER_ABOUT.match(window) else None
