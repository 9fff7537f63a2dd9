import re
import tomllib
from pathlib import Path

import pytest

from tests.builders import shipped_profile, shipped_text
from watcher.errors import ConfigError
from watcher.upstreams import profile as profile_module
from watcher.upstreams.load import (
    load_profile,
    parse_profile,
)
from watcher.upstreams.profile import Regex

FOLDER = Path(profile_module.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem not in {"common", "index"})


@pytest.mark.parametrize("name", NAMES)
def test_every_pattern_of_a_shipped_profile_compiles(name: str) -> None:
    profile = shipped_profile(name)

    single = [profile.title_pattern, profile.hidden_fix_words, profile.bug_words]
    patterns = [
        profile.tag_pattern,
        profile.release_branch_pattern,
        *profile.template_lines,
        *profile.trailer_lines,
        *(pattern for _, pattern in profile.kind_words),
        *(pattern for pattern in single if pattern),
        *(rule.words for rule in profile.facets),
        *(rule.paths for rule in profile.facets if rule.paths),
        *(Regex(value) for rule in profile.facets for _, value in rule.settings),
    ]
    assert len(patterns) > 60
    for pattern in patterns:
        re.compile(pattern.pattern)


def test_only_the_profiles_with_tests_are_called_verified() -> None:
    verified = {name for name in NAMES if shipped_profile(name).verified}

    assert verified == {"verl", "vllm", "pytorch", "generic"}


def test_the_index_names_the_upstreams_of_the_profiles() -> None:
    index = tomllib.loads(shipped_text("index.toml"))
    profiles = [shipped_profile(name) for name in NAMES]

    assert index == {
        "profiles": {
            upstream.lower(): profile.name for profile in profiles for upstream in profile.upstreams
        }
    }


def test_a_former_name_leads_to_the_profile() -> None:
    profile = load_profile("volcengine/verl", shipped_text)

    assert profile.name == "verl"
    assert profile.upstreams[0] == "verl-project/verl"


def test_an_unknown_upstream_gets_the_generic_profile_named_after_it() -> None:
    profile = load_profile("acme/Robot-Arm", shipped_text)

    assert (profile.name, profile.package, profile.module) == ("generic", "robot-arm", "robot_arm")
    assert profile.upstreams == ("acme/Robot-Arm",)


def test_the_user_overlays_single_keys_and_keeps_the_rest() -> None:
    overlay = {"branch": "trunk", "facets": {"lora": {"words": "adapter"}}}

    profile = load_profile("verl-project/verl", shipped_text, {"verl": overlay})

    assert profile.branch == "trunk"
    lora = next(rule for rule in profile.facets if rule.name == "lora")
    assert lora.words.search("Adapter")
    assert not lora.words.search("lora")
    assert lora.settings


def test_an_overlay_by_owner_and_name_reaches_a_generic_upstream() -> None:
    profile = load_profile("acme/engine", shipped_text, {"acme/engine": {"module": "acme_engine"}})

    assert profile.module == "acme_engine"


@pytest.mark.parametrize(
    ("overlay", "where"),
    [
        ({"brunch": "main"}, "profiles.verl"),
        ({"branch": 7}, "profiles.verl.branch"),
        ({"landing": "ferry"}, "profiles.verl.landing"),
        ({"kinds": {"oops": "mishap"}}, "profiles.verl.kinds.oops"),
        ({"template_lines": ["("]}, "profiles.verl.template_lines"),
        ({"facets": {"lora": {"words": "[a"}}}, "profiles.verl.facets.lora.words"),
        ({"facets": {"lora": {"settings": [["a"]]}}}, "profiles.verl.facets.lora.settings"),
        ({"facets": {"new": {}}}, "profiles.verl.facets.new.words"),
        ({"kind_words": [{"kind": "fix", "words": "*"}]}, "profiles.verl.kind_words.words"),
        ({"bug_words": "a" * 3000}, "profiles.verl.bug_words"),
        ({"issues": {"labels": "bug"}}, "profiles.verl.issues.labels"),
        ({"large": "yes"}, "profiles.verl.large"),
        ({"size_hint_mb": True}, "profiles.verl.size_hint_mb"),
        ({"facets": 3}, "profiles.verl.facets"),
    ],
)
def test_a_wrong_key_is_named(overlay: dict[str, object], where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_profile("verl-project/verl", shipped_text, {"verl": overlay})

    assert caught.value.where == where
    assert "\n" not in str(caught.value)


def test_text_that_is_not_toml_is_told() -> None:
    with pytest.raises(ConfigError, match="not TOML"):
        parse_profile("name = ")


@pytest.mark.parametrize(
    ("profile", "tag", "version"),
    [
        ("verl", "v0.8.0", "0.8.0"),
        ("verl", "v0.3.0.post1", "0.3.0.post1"),
        ("vllm", "v0.9.1rc2", "0.9.1rc2"),
        ("pytorch", "v2.8.0-rc3", "2.8.0-rc3"),
        ("megatron-lm", "core_v0.17.0", "0.17.0"),
        ("ray", "ray-2.40.0", "2.40.0"),
        ("torchtitan", "ciflow/8gpu/2125", None),
        ("verl", "nightly", None),
        ("generic", "0.0.1-pre.alpha.1", "0.0.1-pre.alpha.1"),
        ("generic", "v1.0" + "a-" * 100 + "!", None),
    ],
)
def test_tags_of_releases_are_told_from_others(profile: str, tag: str, version: str | None) -> None:
    match = shipped_profile(profile).tag_pattern.search(tag)

    assert (match and match.group("version")) == version


@pytest.mark.parametrize(
    ("profile", "branch", "is_release"),
    [
        ("verl", "release/v0.8.0", True),
        ("verl", "v0.4.1.x", True),
        ("verl", "main", False),
        ("verl", "someone/lora", False),
        ("vllm", "releases/v0.11.0", True),
        ("pytorch", "release/2.9", True),
        ("pytorch", "orig/release/2.9", False),
        ("trl", "v0.20-release", True),
    ],
)
def test_release_branches_are_told_from_others(profile: str, branch: str, is_release: bool) -> None:
    found = shipped_profile(profile).release_branch_pattern.search(branch)

    assert (found is not None) is is_release


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[fsdp] fix: offload of FSDP2 shards", {"fsdp", "fsdp2", "offload"}),
        ("[ROCm][LoRA] keep adapters", {"rocm", "lora"}),
        ("[megatron, veomni] feat: x", {"megatron", "veomni"}),
        ("在fsdp下保存检查点 checkpoint", {"fsdp", "ckpt"}),
        ("[Doc] Spelling", set()),
    ],
)
def test_titles_have_the_facets_that_they_name(text: str, names: set[str]) -> None:
    facets = shipped_profile("verl").facets

    assert {rule.name for rule in facets if rule.words.search(text)} == names


def test_facets_of_one_group_exclude_each_other_by_data() -> None:
    groups = {rule.name: rule.group for rule in shipped_profile("verl").facets}

    assert groups["fsdp"] == groups["megatron"] == "training"
    assert groups["vllm"] == groups["sglang"] == groups["trtllm"] == "rollout"
    assert groups["cuda"] == groups["npu"] == groups["rocm"] == "hardware"
    assert groups["lora"] is None


@pytest.mark.parametrize(
    ("profile", "title"),
    [
        ("vllm", "[Attention] vLLM: skip the trtllm path"),
        ("sglang", "Use the vLLM kernel in sglang"),
        ("megatron-lm", "fix(fsdp): Megatron-FSDP gradients"),
        ("torchtitan", "[torchtitan] Rename a flag"),
        ("vllm-ascend", "[vLLM] Ascend NPU kernels"),
    ],
)
def test_an_upstream_is_not_ruled_out_by_names_that_say_nothing_in_it(
    profile: str, title: str
) -> None:
    rules = shipped_profile(profile).facets

    assert [rule.name for rule in rules if rule.group and rule.words.search(title)] == []
