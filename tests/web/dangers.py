"""What a page must not hold: looked for in the parsed page, not in its text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    """The elements of a page, its visible text, its forms, and everything that could harm."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.dangers: list[str] = []
        self.links: list[str] = []
        self.fields: dict[str, str] = {}
        self.rows: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in {"iframe", "object", "embed", "base", "meta"} and "http-equiv" in given:
            self.dangers.append(tag)
        if tag in {"iframe", "object", "embed", "base"}:
            self.dangers.append(tag)
        if tag == "script" and not given.get("src", "").startswith("/static/"):
            self.dangers.append("inline script")
        for name, value in given.items():
            if name.startswith("on") or name == "style":
                self.dangers.append(f"{tag} {name}")
            if name in {"href", "src", "action"} and re.match(
                r"\s*(javascript|data|vbscript):", value, re.IGNORECASE
            ):
                self.dangers.append(f"{name}={value}")
            if name == "src" and not value.startswith("/static/"):
                self.dangers.append(f"foreign {value}")
        if tag in {"td", "th", "p", "li", "dt", "dd", "h1", "h2", "h3"}:
            self.words += " "
        if "data-row" in given:
            self.rows.append(unquote(given["data-open"]).removeprefix("/item/"))
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag == "input" and given.get("type") == "hidden":
            self.fields[given.get("name", "")] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        self.words += data
