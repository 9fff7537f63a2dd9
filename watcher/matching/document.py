"""A change or an issue -> the token counts that search and ranking read.

Pure. What one change says is spread over six fields; issue numbers and addresses are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from watcher.facts.change import BEFORE_RANGE, Change
from watcher.facts.diff import Role, TouchedFile
from watcher.facts.document import Document
from watcher.facts.issue import Issue
from watcher.matching.tokens import count_tokens, find_words, without_references, word_tokens

FIELDS: Final = ("title", "body", "paths", "functions", "identifiers", "strings")
"""The fields of a document, in the order of the index's columns."""

_OTHERS: Final = ""
"""Stands for all tokens that a focused document leaves out; no token is empty."""
MAX_BODY: Final = 20_000
MAX_STRINGS: Final = 400
_CODE_ROLES: Final = frozenset({Role.SOURCE, Role.CONFIG, Role.BUILD})


def document(change: Change) -> Document:
    """A change as search sees it."""
    return Document(
        key=change.sha,
        position=BEFORE_RANGE if change.position is None else change.position,
        fields={
            "title": count_tokens(without_references(change.message.title)),
            "body": count_tokens(without_references(change.message.body[:MAX_BODY])),
            "paths": _path_tokens(file.path for file in code_files(change.diff.files)),
            "functions": count_tokens(
                " ".join(
                    name.rsplit(".", 1)[-1] for file in change.diff.files for name in file.functions
                )
            ),
            "identifiers": _identifier_tokens((*change.diff.identifiers, *_quoted_names(change))),
            "strings": count_tokens(" ".join(change.diff.strings[:MAX_STRINGS])),
        },
    )


def issue_document(issue: Issue, position: int = BEFORE_RANGE) -> Document:
    """An issue as search sees it; frames count as paths and functions."""
    text = "\n".join((*issue.errors, issue.body[:MAX_BODY]))
    return Document(
        key=f"#{issue.number}",
        position=position,
        fields={
            "title": count_tokens(without_references(issue.title)),
            "body": count_tokens(without_references(text)),
            "paths": _path_tokens(frame.path for frame in issue.frames),
            "functions": count_tokens(" ".join(frame.function for frame in issue.frames)),
            "identifiers": {},
            "strings": {},
        },
    )


def focused(one: Document, wanted: frozenset[str]) -> Document:
    """A document cut down to its title and the wanted tokens; its fields keep their lengths.

    What is scored by a few hundred tokens need not hold all of its own: that is most of the memory.
    """
    fields = {
        name: tokens if name == "title" else _focused(tokens, wanted)
        for name, tokens in one.fields.items()
    }
    return Document(key=one.key, position=one.position, fields=fields)


def _focused(tokens: Mapping[str, int], wanted: frozenset[str]) -> dict[str, int]:
    kept = {token: tokens[token] for token in tokens.keys() & wanted}
    return {**kept, _OTHERS: sum(tokens.values()) - sum(kept.values())}


def code_files(files: Iterable[TouchedFile]) -> list[TouchedFile]:
    """The files that hold code or configuration; all files when there is none."""
    every = list(files)
    return [file for file in every if file.role in _CODE_ROLES] or every


def has_code(files: Iterable[TouchedFile]) -> bool:
    """True when a change touches code or configuration that is shipped."""
    return any(file.role in _CODE_ROLES for file in files)


def _path_tokens(paths: Iterable[str]) -> dict[str, int]:
    stems = (path.rsplit(".", 1)[0].replace("/", " ") for path in paths)
    return count_tokens(" ".join(stems))


def _quoted_names(change: Change) -> Iterable[str]:
    """Compound names inside string literals: options, environment variables, attribute names."""
    return (word for text in change.diff.strings for word in find_words(text) if "_" in word)


def _identifier_tokens(identifiers: Iterable[str]) -> dict[str, int]:
    """Each token once: a long diff does not count a name more often than a short one."""
    return dict.fromkeys(chain.from_iterable(map(word_tokens, identifiers)), 1)
