"""What a change or an item is for, and the state that GitHub shows of it. Pure records."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a change is for, or what an item is."""

    FIX = "fix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    PERF = "perf"
    REVERT = "revert"
    DOCS = "docs"
    CI = "ci"
    TEST = "test"
    CHORE = "chore"
    OTHER = "other"
    ISSUE = "issue"
    ADVISORY = "advisory"


class State(StrEnum):
    """State of a pull request or issue as an item shows it."""

    MERGED = "merged"
    OPEN = "open"
    CLOSED = "closed"
