"""What a newcomer sees, word by word: the help of every command, and the demo.

After a wanted change: ``UPDATE_GOLDEN=1 pytest tests/cli/test_transcripts.py``, and read the diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Watcher
from watcher.cli.main import COMMANDS

GOLDEN = Path(__file__).parent / "golden"
CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\d"), "YYYY-MM-DD"),
    (re.compile(r"\b\d+ (?:second|minute|hour|day|week|month|year)s? (ago|old)"), r"SOME TIME \1"),
    (re.compile(r"[+-]\d\.\d+|(?<=score )\d\.\d+"), "NUMBER"),
    (re.compile(r"\b(?:just now|today|yesterday)\b"), "SOME TIME ago"),
    (re.compile(r"\b[0-9a-f]{9}(?:[0-9a-f]{31})?\b"), "SHA"),
    (re.compile(r"(?:file://)?/\S*watcher-demo-\w+"), "FOLDER"),
    (re.compile(r"[\d.]+ [kM]B fetched"), "SIZE fetched"),
)
"""Parts of a transcript that differ from day to day and from machine to machine."""


def steady(text: str) -> str:
    """A transcript without what changes, blanks at line ends gone."""
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def assert_golden(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(steady(text), encoding="utf-8")
    assert steady(text) == path.read_text(encoding="utf-8"), "see the head of this file"


def test_the_help_names_every_command(watcher: Watcher) -> None:
    outcome = watcher("--help")

    assert outcome.status == 0
    assert_golden("help", outcome.out)
    assert all(re.search(rf"^  {name} ", outcome.out, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "db"])
def test_every_command_has_a_help_with_its_options(watcher: Watcher, command: str) -> None:
    outcome = watcher(command, "--help")

    assert outcome.status == 0
    assert outcome.first.startswith(f"Usage: watcher {command}")
    undocumented = re.findall(r"^  --?\S+(?: [A-Z\[|=\]]+)?$", outcome.out, re.MULTILINE)
    assert undocumented == []


def test_the_demo_tells_its_story(watcher: Watcher) -> None:
    outcome = watcher("demo")

    assert outcome.status == 0, outcome.err
    assert_golden("demo", outcome.out)
