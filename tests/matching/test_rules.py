"""Each rule finds its reason, says it in a sentence, and is silent otherwise."""

from dataclasses import replace

import pytest

from tests.builders import make_change, make_issue, shipped_profile
from tests.matching.usage_material import WEIGHTS_TEXT
from tests.usage_reading import read_usage
from watcher.facts import FileStatus, Guard, Kind, Links, Role, Tier, TouchedFile
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document
from watcher.matching.rules.conditions import condition_signals
from watcher.matching.rules.context import Surroundings, build_context
from watcher.matching.rules.facets import facet_signals
from watcher.matching.rules.glosses import gloss_signals, glosses_by_word
from watcher.matching.rules.guards import guard_signals, holds
from watcher.matching.rules.models import model_signals, user_models
from watcher.matching.rules.named import named_signals
from watcher.matching.rules.reach import reach_signals
from watcher.matching.rules.scale import scale_signals
from watcher.matching.rules.settings import config_key_signals, setting_query, setting_signals
from watcher.matching.rules.severity import severity_signals
from watcher.matching.rules.standing import standing_signals
from watcher.matching.rules.symbols import symbol_signals
from watcher.matching.rules.versions import known_packages, version_signals
from watcher.matching.weights import parse_rank_weights
from watcher.usage.baseline import Baseline
from watcher.usage.examples import count_examples
from watcher.usage.glosses import Gloss
from watcher.usage.import_graph import build_import_graph
from watcher.usage.read import Declared, UsageInput

VERL = shipped_profile("verl")
RUN = "python -m verl.trainer.main_ppo "
GRAPH = build_import_graph(
    [
        ("verl/trainer/main_ppo.py", "import verl.workers.near\nstart(config_name='ppo')"),
        ("verl/workers/near.py", "import verl.utils.far"),
        ("verl/utils/far.py", ""),
        ("verl/other/lone.py", ""),
        ("verl/models/qwen2_vl.py", ""),
        ("verl/models/gemma3.py", ""),
    ]
)
EXAMPLES = count_examples((f"{n}.sh", RUN + "a.common_key=word b.lr=1e-6") for n in range(50))
BASE = Baseline(upstream="verl-project/verl", defaults={"a.flag_x": "False"}, examples=EXAMPLES)
PLAIN = [document(make_change(n)) for n in range(40)]


def context(overrides="", *, code="", changes=(), run=RUN, **fields):
    declared = {name: fields.pop(name) for name in ("keywords", "paths", "gpus") if name in fields}
    inputs = [UsageInput("run.sh", run + overrides), UsageInput("my.py", code)]
    usage = read_usage(inputs, [VERL], declared=Declared(**declared), baselines=[BASE])
    corpus = corpus_of((*map(document, changes), *PLAIN))
    ranks = parse_rank_weights(WEIGHTS_TEXT)
    around = Surroundings(corpus=corpus, fields=ranks.fields, graph=GRAPH, **fields)
    return build_context(usage, VERL, around)


def change(title="x", *, facets=(), **fields):
    made = make_change(1, title=title, **fields)
    return replace(made, message=replace(made.message, facets=tuple(facets)))


def names(signals):
    return [one.name for one in signals]


def only(signals):
    (one,) = signals
    return one


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


@pytest.mark.parametrize(
    ("operator", "value", "given", "expected"),
    [
        ("==", "fsdp2", "fsdp2", True),
        ("==", "True", "true", True),
        ("in", "fsdp", "fsdp2", False),
        ("!=", "0", "0.0", False),
        ("truthy", "", "False", False),
        ("truthy", "", "8", True),
        ("falsy", "", "null", True),
        (">", "1", "2", True),
        ("<=", "1", "2", False),
        ("<", "x", "2", None),
    ],
)
def test_a_comparison_is_decided_by_the_value_in_force(operator, value, given, expected):
    assert holds(Guard("k", operator, value), given) is expected


def test_changed_code_under_a_comparison_that_holds_speaks_for_it():
    guards = (Guard("actor.strategy", "==", "fsdp"), Guard("actor.strategy", "==", "fsdp2"))

    found = only(guard_signals(change(guards=guards), context("x.actor.strategy=fsdp2")))

    assert found.name == "guard_holds"
    assert "`actor.strategy == fsdp2`; you have x.actor.strategy=fsdp2 (run.sh:1)" in found.detail


def test_changed_code_under_comparisons_that_all_fail_speaks_against():
    guards = (Guard("algo.bypass_mode", "falsy", ""),)

    found = only(guard_signals(change(guards=guards), context("x.algo.bypass_mode=True")))

    assert found.name == "guard_fails"
    assert "`if not algo.bypass_mode` only" in found.detail


def test_comparisons_of_unknown_names_and_with_nothing_say_nothing():
    guards = (Guard("other", "==", "1"), Guard("algo.bypass_mode", "is not", "None"))

    assert not list(guard_signals(change(guards=guards), context("x.algo.bypass_mode=True")))


def test_a_telling_setting_is_found_in_a_title_and_a_common_one_is_not():
    told = change("fix remax baseline")
    common = change("fix word order of common_key")
    around = context("a.estimator=remax a.common_key=word", changes=[told, common])
    query = setting_query(around)

    first = list(setting_signals(document(told), query, around))
    second = list(setting_signals(document(common), query, around))

    assert first[0].detail == "speaks of your settings a.estimator=remax"
    assert first[0].value > 5 * second[0].value
    assert names(first) == ["settings", "settings_title"]


def test_a_key_read_on_a_changed_line_counts_by_how_much_of_it_agrees():
    around = context("x.rollout.max_depth=3")

    def strength(**diff):
        return sum(one.value for one in config_key_signals(change(**diff), around))

    whole = strength(config_keys=("rollout.max_depth",))
    leaf = strength(config_keys=("max_depth",))
    name = strength(identifiers=("max_depth",))
    assert whole > leaf > name > 0
    assert strength(config_keys=("max_width",)) == 0


def test_an_environment_variable_that_a_changed_line_reads_counts():
    around = context(" && VLLM_USE_FAST_PATH=1 python -m verl.trainer.main_ppo x.y=1")

    found = only(config_key_signals(change(config_keys=("VLLM_USE_FAST_PATH",)), around))

    assert found.detail == "changes lines that read your VLLM_USE_FAST_PATH=1 (environment)"


def test_a_word_for_a_value_speaks_for_those_who_have_it_and_against_the_others():
    glosses = (
        Gloss("decoupled", "bypass_mode", "false"),
        Gloss("bypass", "bypass_mode", "true"),
    )
    around = context("x.bypass_mode=True", glosses=glosses)
    by_word = glosses_by_word(around)

    found = only(gloss_signals(change("fix Decoupled PPO restore"), by_word, around))

    assert found.detail == (
        "speaks of Decoupled, that is bypass_mode=false; you have x.bypass_mode=True (run.sh:1)"
    )
    met = only(gloss_signals(change("fix bypass restore"), by_word, around))
    assert met.detail == "speaks of bypass, that is your x.bypass_mode=True (run.sh:1)"
    assert not list(gloss_signals(change("fix restore"), by_word, around))


def test_conditions_of_the_description_are_compared():
    met = change(body="Crashes when `router.replay_mode=R3` is set.")
    failed = change(body="Only with bypass_mode=False the handler is missing.")
    around = context("x.router.replay_mode=R3 x.bypass_mode=True")

    assert only(condition_signals(met, around)).name == "condition_met"
    assert "you have x.bypass_mode=True" in only(condition_signals(failed, around)).detail


def test_a_quoted_command_and_numbers_are_no_conditions():
    body = "Run:\n```\npython x.py bypass_mode=False\n```\nwith batch_size=8"

    assert not list(
        condition_signals(change(body=body), context("x.bypass_mode=True x.batch_size=4"))
    )


def test_settings_of_the_report_that_a_change_closes_count():
    made = change()
    made = replace(made, message=replace(made.message, closes=(7,)))
    around = context("x.depth_mode=deep", issues=[make_issue(7, config=("x.depth_mode=deep",))])

    assert "issue #7 states x.depth_mode=deep" in only(condition_signals(made, around)).detail


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("fix Qwen2.5-VL positions", "own_model"),
        ("fix Qwen loading", "own_model"),
        ("fix gemma of words", None),
        ("fix Qwen3 loading", "other_model"),
        ("fix Gemma-4 loading", "other_model"),
        ("fix Gemma and Qwen2", "own_model"),
        ("fix loading", None),
    ],
)
def test_a_title_that_names_models_is_for_those_who_run_one_of_them(title, expected):
    around = context("actor.model.path=/models/Qwen2.5-7B-Instruct")

    signals = names(model_signals(change(title), user_models(around)))

    assert signals == ([expected] if expected else [])


def test_another_generation_of_your_family_says_less_than_another_family():
    models = user_models(context("actor.model.path=/models/Qwen2.5-7B-Instruct"))

    kin = only(model_signals(change("fix Qwen3 loading"), models))
    stranger = only(model_signals(change("fix Gemma-4 loading"), models))

    assert kin.at_most is Tier.LIKELY
    assert stranger.at_most is Tier.POSSIBLE
    assert kin.value < stranger.value


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("fix cache for vLLM >= 0.13.0", "version_failed"),
        ("fix cache for vLLM < v0.22.0", "version_met"),
        ("fix cache with flash_attn==2.7", "version_met"),
        ("require vLLM>=0.22.0 for the router", None),
        ("fix cache for torch >= 2.6", None),
        ("fix cache for broken >= 1", None),
    ],
)
def test_stated_versions_are_compared_with_those_you_have(title, expected):
    packages = known_packages((("vllm", "0.11.0"), ("flash-attn", "2.7"), ("broken", "?")))

    assert names(version_signals(change(title), packages)) == ([expected] if expected else [])


def test_nearness_of_a_changed_module_and_modules_out_of_reach():
    around = context()

    near = only(reach_signals(change(paths=["verl/workers/near.py"]), around))
    far = only(reach_signals(change(paths=["verl/utils/far.py"]), around))
    lone = only(reach_signals(change(paths=["verl/other/lone.py"]), around))

    assert near.value > far.value
    assert far.detail == "touches verl.utils.far, 2 imports from what you start"
    assert lone.name == "unreached"


def test_what_your_code_imports_is_where_it_starts_too():
    made = change(paths=["verl/other/lone.py"])

    found = only(reach_signals(made, context(code="from verl.other import lone")))

    assert found.detail == "touches verl.other.lone, 0 imports from what you start"


def test_the_program_tells_where_a_run_starts_when_no_script_does():
    made = change(paths=["verl/workers/near.py"])
    around = context(run="", code="from verl.other import lone", program="ppo")

    assert only(reach_signals(made, around)).name == "reached"


def test_a_file_that_is_new_or_unknown_at_the_pin_says_nothing_about_reach():
    made = change(paths=["verl/new/one.py"])
    added = TouchedFile(path="verl/other/lone.py", role=Role.SOURCE, status=FileStatus.ADDED)

    assert not list(reach_signals(made, context()))
    assert not list(
        reach_signals(replace(made, diff=replace(made.diff, files=(added,))), context())
    )


@pytest.mark.parametrize(
    ("code", "functions", "expected"),
    [
        ("import verl.utils.far as f\nf.load = g", ("load",), "which your code patches (my.py:2)"),
        ("from verl.utils import far\nfar.load()", ("load",), "which your code calls (my.py:2)"),
        ("from verl.utils.far import A\nclass B(A): pass", ("A.run",), "subclasses (my.py:2)"),
        ("from verl.utils.far import A", ("other",), "which your code imports (my.py:1)"),
    ],
)
def test_symbols_that_your_code_uses(code, functions, expected):
    file = TouchedFile(path="verl/utils/far.py", role=Role.SOURCE, functions=functions)
    made = change()
    made = replace(made, diff=replace(made.diff, files=(file,)))

    assert only(symbol_signals(made, context(code=code))).detail.endswith(expected)


def test_files_and_keywords_of_the_configuration():
    around = context(keywords=("CPUOffloadPolicy", "offload"), paths=("verl/utils",))
    made = change("fix offload of states", paths=["verl/utils/far.py"])

    assert [one.detail for one in named_signals(made, around)] == [
        "touches verl/utils/far.py, which you rely on",
        "its title names your keyword 'offload'",
    ]


@pytest.mark.parametrize(
    ("title", "gpus", "overrides", "expected"),
    [
        ("fix multi-node start", None, "trainer.nnodes=1", "scale_excluded"),
        ("fix multi-node start", None, "trainer.nnodes=4", "scale"),
        ("fix multi-node start", None, "", None),
        ("fix single GPU run", 8, "", "scale_excluded"),
        ("fix uneven shards", 3, "", "scale"),
        ("fix uneven shards", 4, "", None),
    ],
)
def test_conditions_on_devices_and_machines(title, gpus, overrides, expected):
    signals = names(scale_signals(change(title), context(overrides, gpus=gpus)))

    assert signals == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("weights silently garbled", "severity_silent"),
        ("crash at start", "severity_crash"),
        ("slow loader", "severity_slow"),
        ("typo in a warning", "severity_message"),
    ],
)
def test_severity_is_read_from_the_title(title, expected):
    assert only(severity_signals(change(title))).name == expected


def test_what_nobody_runs_is_excluded_by_the_role_of_its_files():
    made = change()
    docs = (TouchedFile(path="docs/a.md", role=Role.DOCS),)
    made = replace(made, diff=replace(made.diff, files=docs))

    found = [one for one in standing_signals(made, None) if one.at_most is Tier.UNLIKELY]

    assert only(found).detail == "touches docs only, nothing that runs"


def test_kind_closed_reports_and_back_ports_count():
    made = make_change(1, kind=Kind.FIX)
    made = replace(made, message=replace(made.message, closes=(3,)))

    found = names(standing_signals(made, Links(sha=made.sha, equivalents=("b" * 40,))))

    assert {"kind_fix", "closes_issue", "backported"} <= set(found)
