"""No regular expression of the package can be made slow by the text that it meets."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.fuzz.budget import OverBudgetError, budget
from tests.fuzz.patterns import ROOT, attacks, calls_of, compiled_patterns, exercise

PROFILES = list((ROOT / "upstreams").glob("*.toml"))
BOUNDED = {
    "watcher.history.phrases": 110,  # the words around one reference
    "history/phrases.py": 110,
    "watcher.history.titles": 1_000,  # a subject, cut before it is looked at
    "watcher.history.lookup": 500,  # titles
    "history/lookup.py": 500,
    "watcher.presence.contained": 500,
    "presence/contained.py": 500,
    "watcher.history.mentions._PREFIX": 201,
    "history/mentions.py": 200,
    "watcher.history.issue_body._HEADING": 200,
    "watcher.history.issue_body": 2_000,  # one line of a report
    "history/issue_body.py": 200,
    "watcher.symptom.frames": 2_000,  # one line of a log
    "watcher.symptom.lines": 2_000,
    "watcher.symptom.errors": 2_000,
    "watcher.symptom.settings": 2_000,
    "symptom/settings.py": 2_000,
    "watcher.settings.parse._AT_LINE": 200,
    "watcher.settings.table._DURATION_PART": 200,  # numbers of six digits, matched before
    "settings/table.py": 200,
    "pipeline/installed.py": 255,  # names of directories
    "watcher.pins.requirements": 4_096,  # one line
    "watcher.adapters.git.failures": 4_000,  # what git says of one failure
    **dict.fromkeys((path.stem for path in PROFILES), 2_000),  # a title, a path or one line
}
"""Where -> the length that its text never exceeds; all others meet texts of any length."""
OF_ANY_LENGTH = 20_000
PATTERNS = compiled_patterns()


def longest(where: str) -> int:
    """The length of the text that a pattern meets."""
    fitting = [name for name in BOUNDED if where.partition(" ")[0].startswith(name)]
    return BOUNDED[max(fitting, key=len)] if fitting else OF_ANY_LENGTH


def slow_ones(length: int, seconds: float) -> list[str]:
    """Patterns that an attack of a length (at most what they meet) keeps busy for so long."""
    slow = []
    for where, pattern in PATTERNS.items():
        calls = calls_of(where)
        text = is_slow(pattern, calls, min(length, longest(where)), seconds)
        if text:
            slow.append(f"{where} {sorted(calls)} {text[:40]!r}… {pattern.pattern!r:.120}")
    return slow


def is_slow(pattern: re.Pattern[Any], calls: set[str], length: int, seconds: float) -> str:
    """The attack that keeps a pattern busy for so long; empty when none does."""
    for text in attacks(pattern, length):
        try:
            with budget(seconds):
                exercise(pattern, calls, text)
        except OverBudgetError:
            return text
    return ""


def test_every_pattern_is_found() -> None:
    assert len(PATTERNS) > 300
    assert any(where.startswith("verl") for where in PATTERNS)
    assert any(isinstance(pattern.pattern, bytes) for pattern in PATTERNS.values())


@pytest.mark.parametrize("evil", [r"(a+)+$", r"(?:a|aa)+$", r"\s*,?\s*,?\s*x", r"(\w+\s?)*:"])
def test_the_attacks_find_a_slow_pattern(evil: str) -> None:
    pattern = re.compile(evil)

    assert is_slow(pattern, {"search"}, 3_000, 0.05)


def test_no_pattern_backtracks() -> None:
    assert slow_ones(1_500, 0.15) == []


@pytest.mark.slow
def test_no_pattern_is_worse_than_linear_in_long_texts() -> None:
    assert slow_ones(OF_ANY_LENGTH, 0.6) == []
