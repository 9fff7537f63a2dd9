"""Each rule finds its reason, says it in a sentence, and is silent otherwise."""

import pytest
from msgspec.structs import replace

from tests.builders import make_change
from tests.matching.rule_material import change, context, names, only
from watcher.facts.diff import FileStatus, Role, TouchedFile
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.links import Links
from watcher.matching.rules.models import model_signals, user_models
from watcher.matching.rules.named import named_signals
from watcher.matching.rules.reach import reach_signals
from watcher.matching.rules.scale import scale_signals
from watcher.matching.rules.severity import severity_signals
from watcher.matching.rules.standing import standing_signals
from watcher.matching.rules.symbols import symbol_signals
from watcher.matching.rules.versions import known_packages, version_signals


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
