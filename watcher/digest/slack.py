"""A digest as a Slack message in Block Kit, within Slack's limits. Pure.

https://docs.slack.dev/reference/block-kit/blocks: 50 blocks a message, 3000 characters in a
section's text, 150 in a header's, 2000 in a context's.
"""

from __future__ import annotations

from typing import Final

from watcher.digest.record import Digest, Entry
from watcher.digest.words import (
    SECTION_TITLES,
    details,
    facts,
    headline,
    more_line,
    notice_line,
    opening,
    pin_line,
    title,
)
from watcher.facts.item import Tier
from watcher.report.escape import one_line, slack

MOST_BLOCKS: Final = 50
HEADER_LIMIT: Final = 150
SECTION_LIMIT: Final = 3000
CONTEXT_LIMIT: Final = 2000
_FALLBACK_LIMIT: Final = 300
_AROUND: Final = 4
"""Blocks besides entries and section titles: header, opening, rest, pins."""
_MARKS: Final = {Tier.LIKELY: ":red_circle:", Tier.POSSIBLE: ":large_yellow_circle:"}

_ESCAPED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

Block = dict[str, object]


def render_slack(digest: Digest) -> dict[str, object]:
    """The JSON body for an incoming webhook."""
    entries, hidden = _fitting(digest)
    blocks = [_header(f"watcher: {headline(digest)}"), _section(_opening(digest))]
    for news, _ in digest.sections:
        shown = [entry for entry in entries if entry.news is news]
        if shown:
            blocks.append(_section(f"*{SECTION_TITLES[news]}*"))
            blocks += [_section(_entry(entry)) for entry in shown]
    rest = more_line(digest) if not hidden else f"{digest.more + hidden:,} more on the list."
    blocks.append(_section(f"{rest} {_link(digest.link, 'Open the list')}".strip()))
    if digest.pins:
        blocks.append(_context("\n".join(slack(pin_line(pin, digest)) for pin in digest.pins)))
    return {
        "text": slack(f"watcher: {headline(digest)}", _FALLBACK_LIMIT),
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _fitting(digest: Digest) -> tuple[list[Entry], int]:
    """The entries that there are blocks for, and how many there are none for."""
    room = MOST_BLOCKS - _AROUND - len(digest.sections)
    return list(digest.entries[:room]), max(0, len(digest.entries) - room)


def _opening(digest: Digest) -> str:
    lines = [slack(opening(digest))]
    lines += [f":warning: {slack(notice_line(notice))}" for notice in digest.notices]
    return _whole_lines(lines, SECTION_LIMIT)


def _entry(entry: Entry) -> str:
    mark = _MARKS.get(entry.item.tier, ":white_circle:") if entry.item.tier else ""
    tier = entry.item.tier.value if entry.item.tier else entry.item.kind.value
    lines = [
        f"{mark} *{_link(entry.link, entry.item.id)}* {slack(title(entry))}".strip(),
        slack(f"{tier}, {facts(entry)}"),
        *(f"{label}: {slack(sentence)}" for label, sentence in details(entry)),
    ]
    return _whole_lines(lines, SECTION_LIMIT)


def _whole_lines(lines: list[str], limit: int) -> str:
    """As many whole lines as fit: a cut inside would break an escape."""
    text = ""
    for line in lines:
        if len(text) + len(line) + 1 > limit:
            return text + "\n…"
        text = f"{text}\n{line}" if text else line
    return text


def _link(address: str, label: str) -> str:
    """A link whose address cannot leave its brackets and whose label is literal."""
    safe = "".join(char for char in address if char not in "<>|" and not char.isspace())
    shown = "".join(_ESCAPED.get(char, char) for char in one_line(label, 80) if char != "|")
    return f"<{safe.replace('&', '&amp;')}|{shown}>"


def _header(text: str) -> Block:
    plain = {"type": "plain_text", "text": one_line(text, HEADER_LIMIT), "emoji": False}
    return {"type": "header", "text": plain}


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _context(text: str) -> Block:
    lines = _whole_lines(text.split("\n"), CONTEXT_LIMIT)
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": lines, "verbatim": True}]}
