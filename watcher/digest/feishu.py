"""A digest as an interactive card for a Feishu or Lark bot, within its 20 KB. Pure.

Strangers' text goes into ``plain_text`` elements only: there no ``<at>`` tag and no link is read.
"""

from __future__ import annotations

import json
from typing import Final

from watcher.digest.record import Digest, Entry
from watcher.digest.words import (
    SECTION_TITLES,
    details,
    facts,
    headline,
    notice_line,
    opening,
    pin_line,
    title,
)
from watcher.facts.item import Tier
from watcher.report.escape import one_line

BODY_LIMIT: Final = 20_000
"""Bytes of a request that a custom bot takes."""
_ROOM: Final = 19_000

Element = dict[str, object]


def render_feishu(digest: Digest) -> dict[str, object]:
    """The JSON body for a custom bot's webhook."""
    shown = len(digest.entries)
    while True:
        body = _body(digest, shown)
        size = len(json.dumps(body, ensure_ascii=False).encode())
        if size <= _ROOM or shown == 0:
            return body
        shown = min(shown - 1, shown * _ROOM // size)


def _body(digest: Digest, shown: int) -> dict[str, object]:
    lines = [opening(digest), *(f"⚠ {notice_line(notice)}" for notice in digest.notices[:10])]
    elements = [_plain("\n".join(lines))]
    for news, entries in digest.sections:
        kept = [entry for entry in entries if entry in digest.entries[:shown]]
        if kept:
            elements += [{"tag": "hr"}, _plain(SECTION_TITLES[news])]
            elements += [element for entry in kept for element in _entry(entry)]
    hidden = digest.more + len(digest.entries) - shown
    if hidden:
        elements.append(_plain(f"{hidden:,} more on the list."))
    elements += [{"tag": "hr"}, _plain("\n".join(pin_line(pin, digest) for pin in digest.pins[:8]))]
    elements.append(_button("Open the list", digest.link, is_primary=True))
    return {"msg_type": "interactive", "card": _card(digest, elements)}


def _card(digest: Digest, elements: list[Element]) -> dict[str, object]:
    has_likely = any(entry.item.tier is Tier.LIKELY for entry in digest.entries)
    title_text = one_line(f"watcher: {headline(digest)}", 150)
    return {
        "config": {"wide_screen_mode": True},
        "header": {
            "title": {"tag": "plain_text", "content": title_text},
            "template": "red" if has_likely else "blue",
        },
        "elements": elements,
    }


def _entry(entry: Entry) -> list[Element]:
    tier = f"[{entry.item.tier.value}] " if entry.item.tier else ""
    lines = [f"{tier}{entry.item.id}  {title(entry)}", facts(entry)]
    lines += [f"{label}: {sentence}" for label, sentence in details(entry)]
    return [_plain("\n".join(lines)), _button(entry.item.id, entry.link)]


def _plain(text: str) -> Element:
    return {"tag": "div", "text": {"tag": "plain_text", "content": text}}


def _button(label: str, address: str, *, is_primary: bool = False) -> Element:
    button = {
        "tag": "button",
        "text": {"tag": "plain_text", "content": one_line(label, 80)},
        "url": address,
        "type": "primary" if is_primary else "default",
    }
    return {"tag": "action", "actions": [button]}
