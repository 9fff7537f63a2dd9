"""Recorded incidents and what is measured on them."""

from __future__ import annotations

import json

import pytest

from tests.builders import make_change
from watcher.errors import UsageError
from watcher.matching.evaluate import (
    Case,
    Outcome,
    is_expected,
    parse_cases,
    plain_bm25,
    summarize,
    symptom_of,
)

LINE = json.dumps(
    {
        "id": "one",
        "upstream": "acme/engine",
        "pin": "a" * 40,
        "as_of": None,
        "symptom": {
            "text": "It hangs, see #12.",
            "log": "ValueError: x",
            "config": ["a.b=1"],
            "variants": {"zh": "卡死"},
        },
        "expected": ["#3", "abc"],
    }
)


def case(**fields: object) -> Case:
    return Case(
        **{"id": "one", "upstream": "acme/engine", "pin": "a" * 40, "as_of": None, **fields}
    )  # type: ignore[arg-type]


def test_a_case_is_read_from_its_line() -> None:
    (one,) = parse_cases(f"{LINE}\n\n")

    assert (one.id, one.config, one.variants) == ("one", ("a.b=1",), {"zh": "卡死"})


@pytest.mark.parametrize("line", ["{", "[]", '{"id": 1}', '{"id":1,"upstream":2,"symptom":3}'])
def test_a_line_that_is_no_case_is_named(line: str) -> None:
    with pytest.raises(UsageError, match=r"cases\.jsonl:2"):
        parse_cases(f"{LINE}\n{line}", where="cases.jsonl")


def test_each_mode_gives_its_part_of_the_symptom() -> None:
    (one,) = parse_cases(LINE)
    given = {mode: symptom_of(one, mode) for mode in ("full", "words", "log", "zh", "vague")}

    parts = {
        mode: symptom and (bool(symptom.text), bool(symptom.errors), bool(symptom.config))
        for mode, symptom in given.items()
    }

    assert parts == {
        "full": (True, True, True),
        "words": (True, False, False),
        "log": (False, True, True),
        "zh": (True, False, False),
        "vague": None,
    }


def test_issue_numbers_are_cut_from_the_words() -> None:
    (one,) = parse_cases(LINE)
    words = symptom_of(one, "words")

    assert words is not None
    assert "12" not in words.text


def test_a_case_without_a_log_is_left_out_of_the_log_mode() -> None:
    assert symptom_of(case(text="x", log=None, config=("a=1",)), "log") is None


def test_a_change_is_expected_by_number_or_sha() -> None:
    one = case(expected=("#3", f"{4:040x}"))

    assert [number for number in (2, 3, 4) if is_expected(one, make_change(number))] == [3, 4]


def test_the_summary_counts_ranks() -> None:
    outcomes = [
        Outcome(case=str(rank), expected="#1", rank=rank, first="#9") for rank in (1, 2, 8, None)
    ]

    found = summarize(outcomes)

    assert found["n"] == 4
    assert found["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 8) / 4, abs=1e-4)
    assert found["recall"] == {"1": 0.25, "5": 0.5, "10": 0.75, "20": 0.75}
    assert found["misses"] == [
        {"id": "8", "rank": 8, "expected": "#1", "first": "#9"},
        {"id": "None", "rank": None, "expected": "#1", "first": "#9"},
    ]


def test_no_cases_give_no_figures() -> None:
    assert summarize([])["mrr"] is None


def test_the_baseline_is_a_plain_bag_of_words() -> None:
    changes = [make_change(number, title=f"Tidy part {number}") for number in range(1, 6)]
    changes.append(make_change(6, title="Fix a hang of the loader"))

    order = plain_bm25(case(text="the loader hangs: a hang"), "words", changes)

    assert order[0] == changes[-1].sha
    assert sorted(order) == sorted(one.sha for one in changes)
