"""Python sources tell which modules and symbols of an upstream they reach."""

import pytest

from watcher.usage.python_code import read_python

ROOTS = frozenset({"verl", "vllm"})


def uses(text):
    reading = read_python(text, "a.py", ROOTS)
    return {(use.upstream_module, use.symbol, use.kind) for use in reading.code}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import verl.utils.x as y", ("verl.utils.x", "", "import")),
        ("from verl.utils.x import f", ("verl.utils.x", "f", "import")),
        ("from verl.utils.x import f as g\ng()", ("verl.utils.x", "f", "call")),
        ("import verl.utils.x\nverl.utils.x.f(1)", ("verl.utils.x", "f", "call")),
        ("from verl import utils as u\nu.x.f", ("verl", "utils.x.f", "attribute")),
        ("from verl.a import B\nclass C(B): pass", ("verl.a", "B", "subclass")),
        ("import verl.a as a\na.f = g", ("verl.a", "f", "patch")),
        ("import verl.a as a\na.B.f = g", ("verl.a", "B.f", "patch")),
        ("import verl.a as a\nsetattr(a, 'f', g)", ("verl.a", "f", "patch")),
        ("mock.patch('verl.a.f')", ("verl.a", "f", "patch")),
        ("import verl.a as a\nh = a.f\nh()", ("verl.a", "f", "call")),
        ("importlib.import_module('verl.a.b')", ("verl.a.b", "", "import")),
        ("def f():\n  from verl.a import b", ("verl.a", "b", "import")),
    ],
)
def test_ways_to_reach_an_upstream(text, expected):
    assert expected in uses(text)


def test_other_packages_and_relative_imports_are_not_the_upstream():
    assert (
        uses("import os, numpy as np\nfrom . import verl\nfrom .verl import x\nnp.a.b()") == set()
    )


def test_arguments_of_an_upstream_class_are_settings():
    reading = read_python(
        "from vllm import LLM\nLLM(model='m', enable_lora=True, n=k)", "a.py", ROOTS
    )

    assert [(item.key, item.value) for item in reading.settings] == [
        ("model", "m"),
        ("enable_lora", "True"),
    ]


def test_overrides_handed_to_a_child_process_are_settings():
    reading = read_python("run(['python', '-m', 'x', 'trainer.nnodes=2'])", "a.py", ROOTS)

    assert [(item.key, item.value) for item in reading.settings] == [("trainer.nnodes", "2")]


@pytest.mark.parametrize("text", ["def (", "\0", "(" * 50_000, "x = " + "-" * 20_000 + "1"])
def test_broken_source_is_told_and_never_raised(text):
    reading = read_python(text, "a.py", ROOTS)

    ((source, reason),) = reading.not_understood
    assert source.path == "a.py"
    assert reason.startswith("not Python")
