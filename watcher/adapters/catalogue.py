"""Reads the advisory catalogue: the shipped TOML files, then the user's own."""

from __future__ import annotations

from importlib import resources

from watcher.advisories.parse import merge, parse_catalogue
from watcher.advisories.record import Advisory
from watcher.errors import ConfigError
from watcher.ports.files import Files
from watcher.settings import Settings


def read_catalogue(settings: Settings, files: Files) -> tuple[Advisory, ...]:
    """All advisories; an entry of the user's replaces a shipped one of the same slug.

    Raises ConfigError naming the file and line of a wrong entry.
    """
    shipped = resources.files("watcher.advisories").joinpath("catalogue")
    texts = [(one.name, one.read_text("utf-8")) for one in shipped.iterdir() if one.is_file()]
    catalogues = [parse_catalogue(text, origin=name) for name, text in sorted(texts)]
    for pattern in settings.advisories:
        paths = files.find(settings.root, [pattern]) or [settings.root / pattern]
        for path in paths:
            text = files.read(path)
            if text is None:
                mend = "name a readable TOML file"
                raise ConfigError("cannot be read", where=f"advisories: {path}", mend=mend)
            catalogues.append(parse_catalogue(text, origin=str(path)))
    return merge(catalogues)
