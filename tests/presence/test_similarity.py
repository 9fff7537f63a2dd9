"""How alike two lines are, against difflib's ratio."""

from __future__ import annotations

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from tests.properties import robust
from watcher.presence.similarity import similarity

TEXT = st.text(st.sampled_from("abc_(x)"), max_size=40)


def test_equal_lines_are_wholly_alike_and_different_ones_not_at_all() -> None:
    assert similarity("shard.to(device)", "shard.to(device)") == 1.0
    assert similarity("shard.to(device)", "import torch") == 0.0


def test_a_changed_word_in_the_middle_is_alike() -> None:
    one = "k_pe=torch_npu.npu_interleave_rope(k_pe,cos,sin)"
    other = "k_li_pe=torch_npu.npu_interleave_rope(k_li_pe,cos,sin)"

    assert similarity(one, other) >= 0.85


@robust
@given(TEXT, TEXT)
def test_it_never_says_more_than_the_characters_in_common_order_allow(one: str, other: str) -> None:
    found = similarity(one, other)

    assert 0.0 <= found <= 1.0
    assert found <= SequenceMatcher(None, one, other, autojunk=False).quick_ratio() + 1e-9
