"""Names of commits: tags, branches, shas, and what they mean. Pure records."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Tag(Struct, frozen=True):
    """A release tag."""

    name: str
    sha: str
    """The commit, not the tag object."""
    committed_at: datetime


class RefKind(StrEnum):
    """What sort of name a ref turned out to be."""

    SHA = "sha"
    TAG = "tag"
    BRANCH = "branch"


class RefMatch(Struct, frozen=True):
    """One commit that a ref may mean."""

    sha: str
    kind: RefKind
