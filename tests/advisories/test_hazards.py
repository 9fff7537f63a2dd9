"""Each hazard of the catalogue shows for the settings it names, and not one step beside them."""

from __future__ import annotations

import pytest

from tests.advisories.test_catalogue import CATALOGUE, hazard_slugs
from watcher.advisories.match import hazards
from watcher.facts.usage import Setting, Source, Usage

ROLLOUT = "actor_rollout_ref.rollout."
GRPO = {"algorithm.adv_estimator": "grpo"}
CHUNKED = f"{ROLLOUT}enable_chunked_prefill"
BATCHED = f"{ROLLOUT}max_num_batched_tokens"
SHARE = f"{ROLLOUT}gpu_memory_utilization"
LORA = {"actor_rollout_ref.model.lora_rank": "32"}
PADDING = {"actor_rollout_ref.model.use_remove_padding": "True"}
ATTENTION = "actor_rollout_ref.model.override_config.attn_implementation"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"

CASES = [
    ("group-of-one", GRPO | {f"{ROLLOUT}n": "1"}, {f"{ROLLOUT}n": "8"}),
    ("greedy-rollout", {f"{ROLLOUT}temperature": "0.0"}, {f"{ROLLOUT}temperature": "1.0"}),
    ("mini-batch-above-batch", {"data.train_batch_size": "64", MINI: "128"}, {MINI: "64"}),
    (
        "batched-tokens-below-prompt",
        {BATCHED: "1024", "data.max_prompt_length": "2048", CHUNKED: "False"},
        {CHUNKED: "True"},
    ),
    (
        "rollout-memory-share",
        {"actor_rollout_ref.hybrid_engine": "true", SHARE: "0.95"},
        {SHARE: "0.6"},
    ),
    (
        "lora-dummy-weights",
        LORA | {f"{ROLLOUT}load_format": "dummy"},
        {f"{ROLLOUT}load_format": "auto"},
    ),
    ("remove-padding-without-flash", PADDING | {ATTENTION: "eager"}, {ATTENTION: "sdpa"}),
]


@pytest.mark.parametrize(("slug", "settings", "mended"), CASES)
def test_a_hazard_shows_for_its_settings(
    slug: str, settings: dict[str, str], mended: dict[str, str]
) -> None:
    assert slug in hazard_slugs([], settings)
    assert slug not in hazard_slugs([], settings | mended)
    assert slug not in hazard_slugs([], dict(list(settings.items())[1:]))


def test_every_hazard_of_settings_alone_is_tried() -> None:
    elsewhere = {"model-length-hazard", "reward-model-length"}
    slugs = {one.slug for one in CATALOGUE if one.is_hazard and not one.packages}

    assert slugs == {slug for slug, _, _ in CASES} | elsewhere


def test_the_users_word_counts_over_a_default_of_another_part() -> None:
    settings = (
        Setting(
            key="actor_rollout_ref.rollout.max_model_len", value="512", source=Source("run.sh")
        ),
        Setting(key="data.max_prompt_length", value="1024", source=Source("run.sh")),
        Setting(
            key="reward_model.rollout.max_model_len",
            value="null",
            source=Source("acme/engine:ppo.yaml"),
            is_default=True,
        ),
    )

    found = [match.advisory.slug for match in hazards(CATALOGUE, Usage(settings=settings), [])]

    assert "model-length-hazard" in found
