"""An upstream's own issue form (``.github/ISSUE_TEMPLATE``) -> the fields that it asks for.

Pure: YAML forms and Markdown templates as text. A form that cannot be read is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from watcher.usage.yaml_nodes import Items, NotYamlError, Scalar, Table, Tree, parse_yaml

FOLDER: Final = ".github/ISSUE_TEMPLATE"
_NO_BUG: Final = re.compile(
    r"feature|request|doc|question|rfc|config\.ya?ml|new.?model|perf", re.IGNORECASE
)
_BUG: Final = re.compile(r"bug|defect|problem|crash", re.IGNORECASE)
_HEADING: Final = re.compile(
    r"^(?:#{1,4}[ \t]{1,9}(?=\S)(.{1,120}?)|\*\*(.{1,120}?)\*\*)[ \t#:]{0,40}$", re.MULTILINE
)
_FRONT_MATTER: Final = re.compile(r"\A---\n(.{0,4000}?)\n---\n", re.DOTALL)
_MOST_FIELDS: Final = 40


class Asks(StrEnum):
    """What a field wants to know."""

    ENVIRONMENT = "environment"
    LOG = "log"
    REPRODUCTION = "reproduction"
    CONFIGURATION = "configuration"
    EXPECTED = "expected"
    CHOICE = "choice"
    OTHER = "other"


_BY_LABEL: Final = (
    (Asks.EXPECTED, re.compile(r"expected|should happen", re.IGNORECASE)),
    (
        Asks.ENVIRONMENT,
        re.compile(r"environment|system|version|platform|hardware|setup", re.IGNORECASE),
    ),
    (Asks.LOG, re.compile(r"\blogs?\b|traceback|stack|stderr|error message|output", re.IGNORECASE)),
    (
        Asks.CONFIGURATION,
        re.compile(r"\bconfig|\bcommand|\bscripts?\b|argument|launch", re.IGNORECASE),
    ),
    (
        Asks.REPRODUCTION,
        re.compile(r"reprod|describe|descri|bug|what happened|code|steps", re.IGNORECASE),
    ),
)


class Field(Struct, frozen=True, kw_only=True):
    """One thing that the form asks for."""

    label: str
    asks: Asks
    options: tuple[str, ...] = ()
    """Boxes to tick or choices to make, which a person has to do."""


class IssueForm(Struct, frozen=True, kw_only=True):
    """A bug-report form."""

    path: str
    """Where the upstream keeps it; empty for the general one."""
    title: str = ""
    """What titles begin with, ``[Bug]: ``."""
    fields: tuple[Field, ...] = ()


GENERAL_FORM: Final = IssueForm(
    path="",
    fields=(
        Field(label="What happened", asks=Asks.REPRODUCTION),
        Field(label="Environment", asks=Asks.ENVIRONMENT),
        Field(label="Launch command and configuration", asks=Asks.CONFIGURATION),
        Field(label="Log", asks=Asks.LOG),
        Field(label="Expected behavior", asks=Asks.EXPECTED),
    ),
)


def is_template(path: str) -> bool:
    """True for a path that may hold a form."""
    return path.startswith(FOLDER + "/") and path.endswith((".yml", ".yaml", ".md"))


def choose_form(texts: Mapping[str, str]) -> IssueForm:
    """The bug form among an upstream's templates, or the general one."""
    for path in sorted(texts, key=_bug_first):
        if _NO_BUG.search(path.removeprefix(FOLDER)) and not _BUG.search(path):
            continue
        form = parse_form(path, texts[path])
        if form is not None and form.fields:
            return form
    return GENERAL_FORM


def parse_form(path: str, text: str) -> IssueForm | None:
    """One template, or None when it cannot be read."""
    if path.endswith(".md"):
        return _markdown_form(path, text)
    try:
        tree = parse_yaml(text)
    except NotYamlError:
        return None
    body = _child(tree, "body")
    if not isinstance(body, Items):
        return None
    fields = [field for one in body.values[:_MOST_FIELDS] if (field := _field(one))]
    return IssueForm(path=path, title=_text(_child(tree, "title")), fields=tuple(fields))


def _bug_first(path: str) -> tuple[bool, str]:
    return (_BUG.search(path) is None, path)


def _field(node: Tree) -> Field | None:
    kind = _text(_child(node, "type"))
    attributes = _child(node, "attributes")
    label = _text(_child(attributes, "label"))
    if kind == "markdown" or not label:
        return None
    options = tuple(_options(_child(attributes, "options")))
    asks = Asks.CHOICE if kind in {"checkboxes", "dropdown"} else what_is_asked(label)
    return Field(label=label, asks=asks, options=options)


def what_is_asked(label: str) -> Asks:
    """What a field's label asks for."""
    return next((asks for asks, pattern in _BY_LABEL if pattern.search(label)), Asks.OTHER)


def _options(node: Tree | None) -> Iterable[str]:
    values = node.values[:_MOST_FIELDS] if isinstance(node, Items) else ()
    for one in values:
        text = _text(one) or _text(_child(one, "label"))
        if text:
            yield text


def _markdown_form(path: str, text: str) -> IssueForm:
    front = _FRONT_MATTER.match(text[:20_000])
    title = (
        re.search(r"^title:[ \t]*[\"']?([^\"'\n]{0,60})", front[1], re.MULTILINE) if front else None
    )
    body = text[front.end() : 20_000] if front else text[:20_000]
    labels = [(one[0] or one[1]).strip() for one in _HEADING.findall(body)]
    fields = [Field(label=label, asks=what_is_asked(label)) for label in labels[:_MOST_FIELDS]]
    return IssueForm(path=path, title=title[1].strip() if title else "", fields=tuple(fields))


def _child(node: Tree | None, key: str) -> Tree | None:
    if not isinstance(node, Table):
        return None
    return next((value for name, value in node.pairs if name.text == key), None)


def _text(node: Tree | None) -> str:
    return " ".join(node.text.split())[:400] if isinstance(node, Scalar) else ""
