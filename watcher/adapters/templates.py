"""The digest's HTML: Jinja2 with escaping on and unknown names refused, styles put inline."""

from __future__ import annotations

from pathlib import Path

import css_inline
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.exceptions import TemplateError

from watcher.digest import words
from watcher.digest.record import Digest, Entry
from watcher.errors import ConfigError


class DigestTemplates:
    """Renders the mail of a digest. Templates are read on first use."""

    def __init__(self, directory: Path) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(directory),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._inliner = css_inline.CSSInliner(load_remote_stylesheets=False, keep_style_tags=False)

    def mail_html(self, digest: Digest) -> str:
        """A complete document. Raises ConfigError when the installation lacks its template."""
        try:
            page = self._environment.get_template("mail.html").render(_values(digest))
            return self._inliner.inline(page)
        except (TemplateError, css_inline.InlineError) as error:
            raise ConfigError(f"the mail cannot be made: {error}", where="templates") from error


def _values(digest: Digest) -> dict[str, object]:
    return {
        "digest": digest,
        "subject": words.subject(digest),
        "headline": words.headline(digest),
        "opening": words.opening(digest),
        "notices": [words.notice_line(notice) for notice in digest.notices],
        "sections": [
            {"title": words.SECTION_TITLES[news], "entries": [_entry(one) for one in entries]}
            for news, entries in digest.sections
        ],
        "more": words.more_line(digest),
        "pins": [words.pin_line(pin, digest) for pin in digest.pins],
    }


def _entry(entry: Entry) -> dict[str, object]:
    item = entry.item
    return {
        "id": item.id,
        "tier": item.tier.value if item.tier else item.kind.value,
        "title": words.title(entry),
        "facts": words.facts(entry),
        "details": words.details(entry),
        "link": entry.link,
    }
