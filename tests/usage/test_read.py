"""Files, declarations and the pin's own configuration become one usage."""

import pytest

from tests.builders import shipped_profile
from tests.usage_reading import read_usage
from watcher.usage.baseline import Baseline
from watcher.usage.codec import (
    baseline_from_json,
    baseline_to_json,
    usage_from_json,
    usage_to_json,
)
from watcher.usage.describe import describe
from watcher.usage.examples import count_examples
from watcher.usage.glosses import read_glosses
from watcher.usage.read import Declared, UsageInput

RUN = """
python -m verl.trainer.main_ppo \\
    actor_rollout_ref.actor.strategy=fsdp2 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.model.lora_rank=8 \\
    trainer.n_gpus_per_node=3 trainer.nnodes=2
"""


def usage(script=RUN, *, declared=None, baselines=(), profiles=("verl", "vllm")):
    return read_usage(
        [UsageInput("run.sh", script)],
        [shipped_profile(name) for name in profiles],
        declared=declared or Declared(),
        baselines=baselines,
    )


def facets(found):
    return {use.name: use.is_on for use in found.facets}


def baseline(**fields):
    return Baseline(upstream="verl-project/verl", source="ppo_trainer.yaml", **fields)


def test_a_setting_turns_its_facet_on_and_the_rivals_off_with_the_line():
    found = {use.name: use for use in usage().facets}

    assert found["fsdp"].is_on
    assert str(found["fsdp"].source) == "run.sh:3"
    assert not found["megatron"].is_on
    assert found["megatron"].detail == "actor_rollout_ref.actor.strategy=fsdp2"
    assert not found["sglang"].is_on


def test_without_a_word_on_hardware_it_is_cuda_and_the_others_are_off():
    assert {
        name: on for name, on in facets(usage()).items() if name in {"cuda", "npu", "rocm"}
    } == {
        "cuda": True,
        "npu": False,
        "rocm": False,
    }


def test_declared_hardware_goes_before_everything():
    found = usage(declared=Declared(hardware="npu"))

    assert facets(found)["npu"] is True
    assert facets(found)["cuda"] is False
    assert found.hardware == "npu"


def test_what_the_user_writes_outweighs_imports_and_defaults():
    script = "vllm serve m\npython -m verl.trainer.main_ppo actor_rollout_ref.rollout.name=sglang"

    assert facets(usage(script))["sglang"] is True
    assert facets(usage(script))["vllm"] is False
    assert facets(usage("vllm serve m"))["vllm"] is True
    by_default = baseline(defaults={"actor_rollout_ref.rollout.name": "sglang"})
    assert facets(usage("run x.y=1", baselines=[by_default]))["sglang"] is True


def test_a_key_that_names_a_backend_says_that_it_runs():
    script = "python -m verl.trainer.main_ppo actor_rollout_ref.actor.megatron.offload=True"
    by_default = baseline(defaults={"actor_rollout_ref.actor.strategy": "fsdp"})

    assert facets(usage(script, baselines=[by_default]))["megatron"] is True


def test_devices_are_counted_over_machines_unless_declared():
    assert (usage().gpus, usage().nodes) == (6, 2)
    assert usage(declared=Declared(gpus=4)).gpus == 4
    assert usage("export CUDA_VISIBLE_DEVICES=0,1,2\nrun a.b=1").gpus == 3
    assert usage("run a.b=1").gpus is None


def test_a_setting_departs_from_the_default_and_is_rare_among_the_examples():
    examples = count_examples(
        (f"{n}.sh", f"python -m x actor_rollout_ref.model.lora_rank={32 if n else 8} a.lr=1e-6")
        for n in range(9)
    )
    defaults = {"actor_rollout_ref.model.lora_rank": "0", "trainer.nnodes": "2", "trainer.x": "7"}
    found = {
        item.key: item
        for item in usage(baselines=[baseline(defaults=defaults, examples=examples)]).settings
    }

    assert found["actor_rollout_ref.model.lora_rank"].departs
    assert found["actor_rollout_ref.model.lora_rank"].rarity == pytest.approx(0.05)
    assert not found["trainer.nnodes"].departs
    assert found["trainer.nnodes"].rarity == pytest.approx(0.05)
    assert found["actor_rollout_ref.actor.strategy"].rarity == pytest.approx(0.95)
    assert found["trainer.x"].is_default
    assert str(found["trainer.x"].source) == "verl-project/verl:ppo_trainer.yaml"


def test_the_last_word_counts_and_a_removed_key_takes_its_default_away():
    defaults = baseline(defaults={"critic.lr": "1", "a.b": "1"})
    found = usage("python -m verl.trainer.main_ppo a.b=2 a.b=3 ~critic", baselines=[defaults])

    assert {item.key: item.value for item in found.settings} == {"a.b": "3"}


def test_a_key_that_the_pin_does_not_know_is_told():
    known = baseline(defaults={"trainer.nnodes": "1", "trainer.more": "{}"})
    script = "run trainer.nnodes=2 trainer.more.x=1 trainer.nodes=2 +trainer.new=1 mine.x=1"

    found = usage(script, baselines=[known])

    assert [f"{source} {reason}" for source, reason in found.not_understood] == [
        "run.sh:1 trainer.nodes: not a key of the configuration at the pin"
    ]


def test_overrides_of_the_command_line_come_last_and_bad_ones_are_told():
    found = usage(declared=Declared(overrides=("trainer.nnodes=1", "what?")))

    assert found.nodes == 1
    assert [reason for _, reason in found.not_understood] == ["what?: not key=value"]


def test_a_file_of_an_unknown_sort_is_told():
    found = read_usage([UsageInput("model.bin", "x")], [shipped_profile("verl")])

    assert [str(source) for source, _ in found.not_understood] == ["model.bin"]


def test_usage_and_baseline_survive_json_and_damaged_json_reads_as_nothing():
    examples = count_examples([("a.sh", "python -m x a.b=grpo"), ("b.sh", "python -m x a.b=remax")])
    made = baseline(
        defaults={"a.b": "1"},
        examples=examples,
        glosses=read_glosses(["# true = Bypass\nm_k: x"], examples),
    )
    found = usage(baselines=[made])

    assert usage_from_json(usage_to_json(found)) == found
    assert baseline_from_json(baseline_to_json(made)) == made
    for text in ("", "{}", "[]", '{"format": "usage/0"}', usage_to_json(found)[:-5]):
        assert usage_from_json(text) is None
        assert baseline_from_json(text) is None


def test_a_description_begins_with_what_tells_most():
    described = describe(
        usage(
            baselines=[baseline(defaults={"trainer.nnodes": "2", "trainer.n_gpus_per_node": "3"})]
        )
    )

    keys = [item["key"] for item in described["settings"]]
    assert set(keys[-2:]) == {"trainer.nnodes", "trainer.n_gpus_per_node"}
    assert described["gpus"] == 6
    assert {item["name"] for item in described["facets_on"]} >= {"fsdp", "vllm", "lora", "cuda"}
