"""YAML text to a small tree that knows the line of every value.

Pure; no I/O. Nothing is constructed, so a tag can start nothing; aliases that multiply and endless
nesting stop at a cap. PyYAML is imported on first use, which keeps the start of a command quick.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from yaml.nodes import Node


MAX_NODES: Final = 50_000
MAX_DEPTH: Final = 40
MAX_SCALAR: Final = 20_000
MAX_TEXT: Final = 200_000
_NESTING: Final = re.compile(r"[\[\]{}]")


class Scalar(Struct, frozen=True):
    """A plain or quoted value, as written."""

    text: str
    line: int


class Items(Struct, frozen=True):
    """A sequence."""

    values: tuple[Tree, ...]
    line: int


class Table(Struct, frozen=True):
    """A mapping; keys that are no scalars are left out."""

    pairs: tuple[tuple[Scalar, Tree], ...]
    line: int


Tree = Scalar | Items | Table


class NotYamlError(Exception):
    """The text is no YAML that a configuration can mean; the message says why."""


def parse_yaml(text: str) -> Tree | None:
    """The first document, or None for an empty text. Raises NotYamlError."""
    import yaml

    if len(text) > MAX_TEXT:
        raise NotYamlError(f"longer than {MAX_TEXT} characters")
    if _is_nested_too_deep(text):
        raise NotYamlError(f"more than {MAX_DEPTH} levels")
    try:
        # The pure loader: endless nesting ends in RecursionError instead of a broken process.
        root = next(iter(yaml.compose_all(text, Loader=yaml.SafeLoader)), None)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise NotYamlError(f"not YAML: {line}{error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise NotYamlError(f"not YAML: {type(error).__name__}") from error
    return None if root is None else _Converter().convert(root, 0)


def _is_nested_too_deep(text: str) -> bool:
    """A quick look before the parser, whose time grows with the square of the open brackets.

    Brackets inside of quotes are counted as well: so the limit is a few times the real one.
    """
    depth = 0
    for found in _NESTING.finditer(text):
        sign = found.group()
        depth = max(0, depth - 1) if sign in "]}" else depth + 1 if sign in "[{" else depth
        if depth > 5 * MAX_DEPTH:
            return True
    return False


class _Converter:
    """Turns nodes into the tree and counts them."""

    def __init__(self) -> None:
        self._count = 0

    def convert(self, node: Node, depth: int) -> Tree:
        from yaml.nodes import MappingNode, ScalarNode, SequenceNode

        self._count += 1
        if self._count > MAX_NODES or depth > MAX_DEPTH:
            raise NotYamlError(f"more than {MAX_NODES} values or {MAX_DEPTH} levels")
        line = node.start_mark.line + 1
        if isinstance(node, ScalarNode):
            return Scalar(str(node.value)[:MAX_SCALAR], line)
        if isinstance(node, SequenceNode):
            return Items(tuple(self.convert(item, depth + 1) for item in node.value), line)
        if isinstance(node, MappingNode):
            return Table(tuple(self._pairs(node, depth)), line)
        raise NotYamlError(f"line {line}: a value of an unknown kind")

    def _pairs(self, node: Node, depth: int) -> list[tuple[Scalar, Tree]]:
        pairs: list[tuple[Scalar, Tree]] = []
        for key_node, value_node in node.value:
            key = self.convert(key_node, depth + 1)
            if isinstance(key, Scalar):
                pairs.append((key, self.convert(value_node, depth + 1)))
        return pairs
