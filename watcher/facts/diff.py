"""What the diff of a change says: files, identifiers, guards, origins. Pure records."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Role(StrEnum):
    """What a touched file is for in its upstream."""

    SOURCE = "source"
    TEST = "test"
    DOCS = "docs"
    CONFIG = "config"
    EXAMPLE = "example"
    CI = "ci"
    BUILD = "build"
    OTHER = "other"

    @property
    def is_shipped(self) -> bool:
        """True for files that a user runs or reads as configuration: source, config, example,
        build.
        """
        return self in {Role.SOURCE, Role.CONFIG, Role.EXAMPLE, Role.BUILD}


class FileStatus(StrEnum):
    """What happened to a path in a change."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


class TouchedFile(Struct, frozen=True, kw_only=True):
    """One path in the diff of a change."""

    path: str
    role: Role
    status: FileStatus = FileStatus.MODIFIED
    old_path: str | None = None
    """Previous path of a renamed file."""
    added: int = 0
    removed: int = 0
    functions: tuple[str, ...] = ()
    """Enclosing functions and classes of the hunks, qualified (``Class.method``), in order of
    appearance.
    """
    omitted: str | None = None
    """Why the diff of this file was not read (too large, missing on the remote, binary), or None.
    """


class Guard(Struct, frozen=True):
    """A comparison of a setting on a changed or guarding line, such as ``strategy == "fsdp2"``."""

    key: str
    operator: str
    """One of ``==``, ``!=``, ``in``, ``not in``, ``is``, ``is not``, ``<``, ``<=``, ``>``, ``>=``,
    ``truthy``, ``falsy``.
    """
    value: str
    """The literal as text without quotes; empty for truthy and falsy."""


class DiffFacts(Struct, frozen=True, kw_only=True):
    """What the diff of a change says. Identifiers, strings, keys and guards come from shipped
    files only.
    """

    files: tuple[TouchedFile, ...] = ()
    identifiers: tuple[str, ...] = ()
    """Names on changed lines, as written, sorted, without duplicates."""
    strings: tuple[str, ...] = ()
    """String literals on changed lines, at most 200 characters each."""
    config_keys: tuple[str, ...] = ()
    """Dotted keys or option names read on changed or guarding lines."""
    guards: tuple[Guard, ...] = ()
    origins: OriginRecord | None = None
    """What line lineage recorded for the presence verdict; None off the first-parent line."""


class OriginRecord(Struct, frozen=True, kw_only=True):
    """Where the lines that a change removes, adds beside and brings back came from.

    Holds no pin: a pin is a look-up.

    Each weight map goes from a *lineage* (the tuple of steps of a line's life, encoded as in
    ``watcher.presence.lineage``) to a weight. ``watcher.presence`` alone reads the contents.
    """

    scope: str
    """``code``, ``tests``, ``new-files`` or ``other``: which part of the diff the record rests on.
    """
    payload: str
    """Compact JSON, opaque outside ``watcher.presence``."""
