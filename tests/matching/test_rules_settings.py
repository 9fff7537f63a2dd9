"""Settings in force against comparisons, keys, words and conditions of a change."""

import pytest
from msgspec.structs import replace

from tests.builders import make_issue
from tests.matching.rule_material import change, context, names, only
from watcher.facts.diff import Guard
from watcher.matching.document import document
from watcher.matching.rules.conditions import condition_signals
from watcher.matching.rules.glosses import gloss_signals, glosses_by_word
from watcher.matching.rules.guards import guard_signals, holds
from watcher.matching.rules.settings import config_key_signals, setting_query, setting_signals
from watcher.usage.glosses import Gloss


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
