"""Facets that the user lacks exclude a change; those that he has speak for it."""

import pytest
from msgspec.structs import replace

from tests.matching.rule_material import change, context, names, only
from watcher.facts.item import Tier
from watcher.matching.rules.facets import facet_signals


def test_a_change_that_speaks_only_of_a_facet_you_lack_is_excluded_with_the_reason():
    found = only(
        facet_signals(change("[NPU] fix: y", facets=["npu"]), context("actor.strategy=fsdp2"))
    )

    assert found.at_most is Tier.UNLIKELY
    assert found.detail.startswith("speaks of npu only, which you do not run (hardware = cuda, ")


@pytest.mark.parametrize(
    ("facets", "paths", "is_excluded"),
    [
        (["megatron"], ["verl/a.py"], True),
        (["megatron", "fsdp"], ["verl/a.py"], False),
        ([], ["verl/megatron/a.py", "verl/megatron/b.py"], True),
        ([], ["verl/megatron/a.py", "verl/b.py"], False),
        (["fsdp"], ["verl/megatron/a.py"], False),
        (["sglang"], ["verl/a.py"], False),  # nothing says which rollout runs
        (["fsdp1"], ["verl/a.py"], True),
    ],
)
def test_exclusion_needs_a_facet_that_is_off_and_none_of_the_group_that_is_on(
    facets, paths, is_excluded
):
    signals = facet_signals(change(facets=facets, paths=paths), context("actor.strategy=fsdp2"))

    assert ("facet_excluded" in names(signals)) is is_excluded


def test_labels_name_facets_like_titles():
    made = replace(change("fix: y"), labels=("rocm",))

    assert "facet_excluded" in names(facet_signals(made, context()))


def test_the_tags_of_a_title_decide_before_its_words():
    made = change("[XPU] fix: alias in the CUDA wrapper", facets=["cuda", "xpu"])
    tagged = replace(made, message=replace(made.message, tags=("xpu",)))

    assert "facet_excluded" not in names(facet_signals(made, context()))
    assert "facet_excluded" in names(facet_signals(tagged, context()))


def test_a_facet_that_you_chose_against_the_common_case_counts_more():
    found = context("actor.strategy=fsdp2 model.lora_rank=8")

    (signal,) = facet_signals(change(facets=["lora"]), found)

    assert signal.name == "facet_on"
    assert "model.lora_rank=8, run.sh:1" in signal.detail


def test_a_free_facet_that_is_switched_off_speaks_against():
    assert names(facet_signals(change(facets=["lora"]), context("model.lora_rank=0"))) == [
        "facet_off"
    ]
