"""Presence cases are read strictly and counted by group."""

from __future__ import annotations

import json

import pytest

from watcher.errors import ConfigError
from watcher.facts.presence import Presence
from watcher.presence.evaluate import parse_cases, tabulate


def line(**changed: object) -> str:
    case = {"upstream": "acme/engine", "pin": "a" * 40, "fix": "b" * 40, "expected": "absent"}
    return json.dumps({**case, "group": "neg", **changed})


def test_verdicts_are_counted_by_group() -> None:
    cases = parse_cases(f"{line()}\n\n{line()}\n{line(group='pos', expected='present')}", where="x")

    table = tabulate(zip(cases, [Presence.ABSENT, Presence.PARTLY, Presence.PRESENT], strict=True))

    groups = table.document()["groups"]
    assert (groups["neg"]["absent"], groups["neg"]["partly"], groups["neg"]["present"]) == (1, 1, 0)
    assert groups["pos"]["present"] == 1
    assert table.expected == {"neg": Presence.ABSENT, "pos": Presence.PRESENT}


@pytest.mark.parametrize(
    "bad", ["{", "[]", line(expected="maybe"), line(expected="partly"), line(pin="v0.8.0")]
)
def test_a_bad_case_is_named_by_its_line(bad: str) -> None:
    with pytest.raises(ConfigError, match=r"cases\.jsonl:2"):
        parse_cases(f"{line()}\n{bad}", where="cases.jsonl")
