"""YAML files become settings with lines; defaults lists are followed through the given files."""

import pytest

from watcher.usage.yaml_reader import read_yaml


def settings(text, files=None):
    reading = read_yaml(text, "conf/x.yaml", files or {}, {})
    return {item.key: (item.value, str(item.source)) for item in reading.settings}


def test_nested_keys_are_dotted_and_keep_their_line():
    assert settings("a:\n  b: True\n  c: [1, x]\n  d:\n") == {
        "a.b": ("True", "conf/x.yaml:2"),
        "a.c": ("[1, x]", "conf/x.yaml:3"),
        "a.d": ("", "conf/x.yaml:4"),
    }


def test_members_of_a_defaults_list_come_before_the_file_and_under_their_package():
    found = settings(
        "defaults:\n  - actor@rollout.actor: dp\n  - _self_\nrollout:\n  actor:\n    lr: 2\n",
        {"conf/actor/dp.yaml": "strategy: fsdp2\nlr: 1\n"},
    )

    assert found["rollout.actor.strategy"] == ("fsdp2", "conf/actor/dp.yaml:1")
    assert found["rollout.actor.lr"] == ("2", "conf/x.yaml:6")


def test_a_member_that_was_not_handed_in_names_the_configuration_it_starts_from():
    assert settings("defaults:\n  - ppo_trainer\na:\n  b: 1\n")["defaults"][0] == "ppo_trainer"


def test_defaults_that_include_each_other_end():
    files = {
        "conf/x.yaml": "defaults: [y]\na: {b: 1}\n",
        "conf/y.yaml": "defaults: [x]\nc: {d: 2}\n",
    }

    assert settings(files["conf/x.yaml"], files)["a.b"][0] == "1"


def test_a_command_inside_a_job_description_is_read_as_a_script():
    text = "job:\n  run: |\n    python -m verl.trainer.main_ppo \\\n      x.y=3\n"

    reading = read_yaml(text, "job.yaml", {}, {})

    assert ("x.y", "3") in [(item.key, item.value) for item in reading.settings]
    assert reading.entry_points[0][0] == "verl.trainer.main_ppo"


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "a: &x [*x]",
        "[" * 3_000,
        "a: !!python/object/apply:os.system [id]\nb: \x01",
        "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10) if i else 'x'}]\n" for i in range(9)),
    ],
)
def test_broken_and_hostile_yaml_is_told_and_never_raised(text):
    reading = read_yaml(text, "x.yaml", {}, {})

    assert [str(source) for source, _ in reading.not_understood] == ["x.yaml"]


def test_a_tag_that_would_run_code_is_only_text():
    assert settings("a: !!python/object/apply:os.system [id]")["a"][0] == "[id]"


def test_a_list_of_overrides_is_read_as_overrides():
    assert settings("- a.b=1\n- +c.d=x\n- 7\n") == {
        "a.b": ("1", "conf/x.yaml:1"),
        "c.d": ("x", "conf/x.yaml:2"),
    }
