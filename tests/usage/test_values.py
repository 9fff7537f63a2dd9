"""Numbers, keys and values are compared by meaning."""

import pytest

from watcher.usage.arithmetic import evaluate
from watcher.usage.interpolation import interpolate
from watcher.usage.values import canonical, is_alike, is_suffix, is_truthy


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1024 * 8", 8192),
        ("(2 + 3) * 4 - 1", 19),
        ("-7 + 10", 3),
        ("7 / 2", 3),
        ("7 % 4", 3),
        ("1 / 0", None),
        ("2 ** 9", None),
        ("9999999999 * 9999999999", None),
        ("1 +", None),
        ("1.5 * 2", None),
        ("x * 2", None),
        ("(" * 60, None),
    ],
)
def test_whole_number_arithmetic(expression, expected):
    assert evaluate(expression) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("True", "true", True),
        ("None", "null", True),
        ("1e-6", "0.000001", True),
        ('["a", "b"]', "[a,b]", True),
        ("8", "32", True),
        ("8", "33", False),
        ("-1", "1", False),
        ("0", "0.0", True),
        ("/a/b", "Qwen/Qwen3", True),
        ("fsdp", "fsdp2", False),
    ],
)
def test_values_that_make_no_one_look_twice(one, other, expected):
    assert is_alike(one, other) is expected


@pytest.mark.parametrize(
    ("suffix", "key", "expected"),
    [
        ("actor.strategy", "x.actor.strategy", True),
        ("strategy", "x.my_strategy", False),
        ("tensor-parallel-size", "tensor_parallel_size", True),
        ("n", "x.n", True),
    ],
)
def test_a_suffix_ends_a_key_at_a_dot(suffix, key, expected):
    assert is_suffix(suffix, key) is expected


def test_truth_and_spelling_of_values():
    assert [is_truthy(value) for value in ("False", "null", "0", "[]", "8", "x")] == [
        *[False] * 4,
        *[True] * 2,
    ]
    assert canonical(" 1E3 ") == "1000"


def test_references_are_filled_in_with_fallbacks_and_the_rest_stays():
    filled = interpolate(
        {
            "a.b": "x",
            "a.c": "${.b}",
            "d": "${oc.select:none.such,7}",
            "e": "${oc.env:HOME}",
            "f": "${none.such}",
            "g": "p/${a.b}/q",
        }
    )

    assert filled == {
        "a.b": "x",
        "a.c": "x",
        "d": "7",
        "e": "${oc.env:HOME}",
        "f": "${none.such}",
        "g": "p/x/q",
    }
