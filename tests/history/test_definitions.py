"""Definitions follow the diffs of a file, and name what encloses a line."""

from __future__ import annotations

import difflib

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.history.definitions import definitions_of
from watcher.history.diff import HunkDiff

SOURCE = """\
import os

class Trainer:
    @property
    def step(self):
        def inner(
            x,
        ):
            return x
        return inner

    async def fit(self):
        pass

LIMIT = 3
def main():
    return LIMIT
""".splitlines()


def name_at(line: int) -> list[str]:
    return definitions_of(SOURCE).names_of(line, [SOURCE[line]])


def test_a_method_is_named_with_its_class_and_a_nested_function_with_both() -> None:
    assert name_at(8) == ["Trainer.step.inner"]
    assert name_at(9) == ["Trainer.step"]
    assert name_at(12) == ["Trainer.fit"]


def test_a_decorator_belongs_to_the_function_below() -> None:
    assert name_at(3) == ["Trainer.step"]


def test_the_closing_bracket_of_a_signature_belongs_to_its_function() -> None:
    assert name_at(7) == ["Trainer.step.inner"]


def test_a_line_of_the_module_belongs_to_no_function() -> None:
    assert name_at(14) == []
    assert name_at(0) == []


def test_a_class_extends_to_the_next_line_at_its_level() -> None:
    table = definitions_of(SOURCE)

    assert table.extent(0) == (2, 15)
    assert table.extent(4) == (15, None)


def hunks_between(old: list[str], new: list[str]) -> list[HunkDiff]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        HunkDiff(i, j - i, k, m - k, tuple(old[i:j]), tuple(new[k:m]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]


LINES = st.lists(
    st.sampled_from(["def a():", "    def b(self):", "class C:", "    x = 1", "", "y = 2"]),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(LINES, LINES)
def test_a_table_moved_by_a_diff_equals_the_table_of_the_new_file(
    old: list[str], new: list[str]
) -> None:
    table = definitions_of(old)

    table.apply(hunks_between(old, new))

    assert table == definitions_of(new)
