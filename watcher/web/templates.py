"""Templates with escaping on, unknown names refused, and the words that pages use."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.exceptions import TemplateError
from markupsafe import Markup

from watcher.errors import ConfigError
from watcher.facts.item import Item, Tier
from watcher.facts.presence import Presence
from watcher.report.escape import one_line, plain
from watcher.report.words import PRESENCE_WORDS, age, ago, count, day, landed_phrase, short

STATIC: Final = Path(__file__).parent / "static"
_ITEM: Final = re.compile(r"[A-Za-z0-9._-]{1,80}(?:#\d{1,9}|@[0-9a-f]{4,40})")


class Templates:
    """The pages' templates, parsed once."""

    def __init__(self, directory: Path) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(directory),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            finalize=_readable,
        )
        self._environment.filters.update(
            ago=ago, age=age, count=count, day=day, short=short, line=one_line,
            landed=landed_phrase, named=named, sentence=sentence,
            item_path=item_path, signed=signed, presence=presence_words, number=number,
        )  # fmt: skip
        self._environment.globals.update(
            assets={path.name: asset_address(path) for path in sorted(STATIC.iterdir())},
            tiers=list(Tier),
        )

    def render(self, name: str, values: dict[str, object]) -> str:
        """The text of a page. Raises ConfigError when the installation lacks the template."""
        try:
            return self._environment.get_template(name).render(values)
        except TemplateError as error:
            raise ConfigError(f"template {name}: {error}", where="web") from error


def _readable(value: object) -> object:
    """Text without control and bidirectional characters; everything else as it is."""
    if type(value) is str and not value.isprintable():
        return plain(value)
    return value


def item_path(name: str) -> str:
    """Address of an item's page."""
    return "/item/" + quote(name, safe="")


def named(text: str) -> Markup | str:
    """A line that begins with an item's name, as a link to its page."""
    name, _, rest = one_line(text, 300).partition(" ")
    if not _ITEM.fullmatch(name):
        return one_line(text, 300)
    return Markup('<a href="{}">{}</a> {}').format(item_path(name), name, rest)


def sentence(text: str) -> str:
    """Words with a capital at their head."""
    return text[:1].upper() + text[1:]


def signed(weight: float) -> str:
    """A weight with its sign, ``+1.25`` or ``−0.40``."""
    return f"{weight:+.2f}".replace("-", "−")


def number(value: int) -> str:
    """A number with its thousands set apart."""
    return f"{value:,}"


def presence_words(item: Item) -> str:
    """What the presence says, in few words; nothing when it is not known."""
    return "" if item.presence is Presence.UNKNOWN else PRESENCE_WORDS[item.presence]


def asset_address(path: Path) -> str:
    """Address of a static file that changes with its content."""
    return f"/static/{path.name}?v={hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
