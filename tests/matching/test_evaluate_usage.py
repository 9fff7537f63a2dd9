"""Recorded configurations are parsed, placed and summed up."""

import pytest

from tests.builders import make_change
from watcher.errors import UsageError
from watcher.facts.item import Tier
from watcher.matching.evaluate_usage import outcome_of, parse_usage_cases, summarize_usage

LINE = (
    '{"id": "a", "upstream": "o/n", "pin": "p", "as_of": null, "config": ["x=1"], '
    '"expected": ["#2"]}'
)


def ordered(*numbers):
    tiers = [Tier.LIKELY, Tier.POSSIBLE, *[Tier.UNLIKELY] * 60]
    return [(make_change(number), tier) for number, tier in zip(numbers, tiers, strict=False)]


def test_a_case_is_placed_by_number_or_by_sha():
    (case,) = parse_usage_cases(LINE)
    (by_sha,) = parse_usage_cases(LINE.replace("#2", f"{2:040x}"))

    for one in (case, by_sha):
        found = outcome_of(one, ordered(7, 2, 3))
        assert (found.rank, found.tier, found.likely, found.window) == (2, Tier.POSSIBLE, 1, 3)


def test_the_summary_tells_recall_the_share_called_likely_and_the_misses():
    (case,) = parse_usage_cases(LINE)
    near = outcome_of(case, ordered(2, 3))
    far = outcome_of(case, ordered(*range(3, 40), 2))
    lost = outcome_of(case, ordered(5, 6, 7, 8))

    summary = summarize_usage([near, far, lost])

    assert summary["n"] == 3
    assert summary["recall"] == {"10": 0.3333, "20": 0.3333, "50": 0.6667}
    assert summary["likely_share"] == pytest.approx((1 / 2 + 1 / 38 + 1 / 4) / 3, abs=1e-4)
    assert [miss["rank"] for miss in summary["misses"]] == [38, None]


def test_no_case_has_no_recall():
    assert summarize_usage([])["recall"] == {"10": None, "20": None, "50": None}


@pytest.mark.parametrize("text", ["{", "[]", '{"id": 1}', "7"])
def test_what_is_no_case_is_named_with_its_line(text):
    with pytest.raises(UsageError, match="cases:2"):
        parse_usage_cases(f"{LINE}\n{text}")
