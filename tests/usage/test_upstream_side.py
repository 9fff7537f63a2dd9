"""What an upstream ships at the pin: programs, imports, examples, glosses, defaults."""

import pytest

from watcher.adapters.hydra_compose import compose
from watcher.facts.usage import Source
from watcher.usage.examples import count_examples
from watcher.usage.given import GivenSetting
from watcher.usage.glosses import Gloss, read_glosses
from watcher.usage.import_graph import (
    build_import_graph,
    graph_from_json,
    graph_to_json,
    reach,
)
from watcher.usage.interpolation import interpolate
from watcher.usage.program import Program, choose_program

CONFIG = {
    "ppo.yaml": "defaults:\n  - actor@roll.actor: dp\n  - _self_\nroll:\n  name: ???\n"
    "  copy: ${.actor.strategy}\ntrainer:\n  nnodes: 1\n",
    "sft.yaml": "model:\n  path: x\n",
    "actor/dp.yaml": "strategy: fsdp\nlr: 1e-6\n",
    "actor/megatron.yaml": "strategy: megatron\n",
}


def given(*pairs):
    return [GivenSetting(key, value, Source("run.sh", 1)) for key, value in pairs]


def test_defaults_are_composed_with_references_filled_in():
    made = compose("acme/engine", CONFIG, "ppo")

    assert made.reason is None
    assert dict(made.defaults) == {
        "roll.actor.strategy": "fsdp",
        "roll.actor.lr": "1e-06",
        "roll.name": "???",
        "roll.copy": "fsdp",
        "trainer.nnodes": "1",
    }


def test_a_chosen_group_is_composed_and_an_impossible_one_is_left_out():
    chosen = compose("acme/engine", CONFIG, "ppo", groups=("actor@roll.actor=megatron",))
    impossible = compose("acme/engine", CONFIG, "ppo", groups=("actor@roll.actor=none_such",))

    assert chosen.defaults["roll.actor.strategy"] == "megatron"
    assert impossible.defaults["roll.actor.strategy"] == "fsdp"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"ppo.yaml": "defaults: [none_such]\n"},
        {"ppo.yaml": "a: ["},
        {"ppo.yaml": "a: 1", "../out.yaml": "b: 1"},
        {"ppo.yaml": "hydra:\n  searchpath: [file:///etc]\n"},
    ],
)
def test_what_does_not_compose_has_a_reason_and_no_defaults(files):
    made = compose("acme/engine", files, "ppo")

    assert made.reason
    assert not made.defaults


def test_nothing_of_the_environment_gets_into_the_defaults(monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "secret")

    made = compose("acme/engine", {"ppo.yaml": "a: ${oc.env:GITHUB_TOKEN}\n"}, "ppo")

    assert made.defaults == {"a": "${oc.env:GITHUB_TOKEN}"}


def test_references_in_a_circle_end():
    assert interpolate({"a": "${b}", "b": "${a}"}).keys() == {"a", "b"}


def test_the_program_is_what_the_user_says_or_what_the_keys_fit():
    said = given(("config-name", "sft"), ("trainer.nnodes", "2"))

    assert choose_program(said, CONFIG) == Program("sft")
    assert choose_program(given(("roll.actor.lr", "2")), CONFIG) == Program("ppo")
    assert choose_program(given(("actor", "megatron"), ("roll.n", "2")), CONFIG) == Program(
        "ppo", ("actor=megatron",)
    )
    assert choose_program(given(("nothing.fits", "2")), CONFIG) is None


def test_reach_follows_imports_of_all_sorts():
    graph = build_import_graph(
        [
            ("eng/__init__.py", ""),
            (
                "eng/main.py",
                "@hydra.main(config_name='ppo')\ndef f():\n    from eng.job import run",
            ),
            ("eng/job/__init__.py", "from .run import go"),
            ("eng/job/run.py", "from eng.tools import (\n    far,  # why\n    near,\n)"),
            ("eng/tools/__init__.py", ""),
            ("eng/tools/near.py", "load('eng.lazy')"),
            ("eng/lazy.py", "import os"),
            ("eng/other.py", "import eng.main"),
        ]
    )
    found = reach(graph, ["eng.main"])

    assert found["eng.main"] == 0
    assert found["eng.job.run"] == 1
    assert found["eng.tools.near"] == 2
    assert found["eng.lazy"] == 3
    assert "eng.other" not in found
    assert graph.programs == {"ppo": ("eng.main",)}
    assert graph_from_json(graph_to_json(graph)) == graph
    assert graph_from_json("{}") is None


def test_examples_say_how_common_a_value_is():
    examples = count_examples(
        [
            ("a.sh", "x a.n=8 a.kind=one"),
            ("b.sh", "x a.n=16 a.kind=two"),
            ("c.sh", "echo"),
            ("d.sh", "x a.p=/data/one a.n=1000"),
        ]
    )

    assert examples.total == 3
    assert examples.share_alike("a.n", "12", None) == pytest.approx(2.5 / 4)
    assert examples.share_alike("a.kind", "one", None) == pytest.approx(1.5 / 4)
    assert examples.share_alike("a.p", "/other/place", None) == pytest.approx(1.5 / 4)
    assert examples.share_alike("a.z", "0", "0") == pytest.approx(3.5 / 4)
    assert count_examples([]).share_alike("a.n", "1", None) is None


def test_comments_and_choices_give_words_for_values():
    examples = count_examples(
        (f"{n}.sh", f"x algo.estimator={'remax' if n % 2 else 'grpo'}") for n in range(4)
    )
    text = "# Mode: false = Decoupled (slow), true = Bypass\nbypass_mode: false\n"

    assert set(read_glosses([text], examples)) == {
        Gloss("decoupled", "bypass_mode", "false"),
        Gloss("bypass", "bypass_mode", "true"),
        Gloss("remax", "estimator", "remax"),
        Gloss("grpo", "estimator", "grpo"),
    }
