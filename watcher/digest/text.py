"""A digest as plain text. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
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

_WIDTH: Final = 78


def render_text(digest: Digest) -> str:
    """The whole digest as text of at most 78 columns (addresses are not broken)."""
    return "\n".join(_lines(digest)) + "\n"


def _lines(digest: Digest) -> Iterator[str]:
    yield from _wrapped(f"watcher, {digest.day.isoformat()}: {headline(digest)}")
    yield ""
    yield from _wrapped(opening(digest))
    for notice in digest.notices:
        yield from _wrapped(f"! {notice_line(notice)}", "  ")
    for news, entries in digest.sections:
        yield ""
        yield SECTION_TITLES[news].upper()
        for entry in entries:
            yield ""
            yield from _entry(entry)
    if digest.more:
        yield ""
        yield more_line(digest)
    yield ""
    for pin in digest.pins:
        yield from _wrapped(pin_line(pin, digest), "  ")
    yield f"Everything: {digest.link}"


def _entry(entry: Entry) -> Iterator[str]:
    tier = f"[{entry.item.tier.value}] " if entry.item.tier else ""
    yield from _wrapped(f"{tier}{entry.item.id}  {title(entry)}", "  ")
    yield from _wrapped(f"  {facts(entry)}", "  ")
    for label, sentence in details(entry):
        yield from _wrapped(f"  {label}: {sentence}", "    ")
    yield f"  {entry.link}"


def _wrapped(line: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        line,
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
