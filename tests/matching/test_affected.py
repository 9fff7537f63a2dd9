"""A change and a usage give a score, a tier and the reasons; presence gates the tier."""

import math

import pytest
from msgspec.structs import replace

from tests.builders import make_change, shipped_profile
from tests.matching.usage_material import WEIGHTS_TEXT
from tests.usage_reading import read_usage
from watcher.errors import ConfigError
from watcher.facts.diff import Guard, Role, TouchedFile
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence, Verdict
from watcher.matching.affected import AffectedScorer, judge
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document
from watcher.matching.rules.context import Surroundings, build_context
from watcher.matching.tiers import gate
from watcher.matching.usage_weights import parse_usage_weights
from watcher.matching.weights import parse_rank_weights
from watcher.usage.baseline import Baseline
from watcher.usage.examples import count_examples
from watcher.usage.glosses import read_glosses
from watcher.usage.read import Declared, UsageInput

WEIGHTS = parse_usage_weights(WEIGHTS_TEXT)
FIELDS = parse_rank_weights(WEIGHTS_TEXT).fields
VERL = shipped_profile("verl")
VLLM = shipped_profile("vllm")
EXAMPLES = count_examples(
    (f"{n}.sh", "python -m verl.trainer.main_ppo actor_rollout_ref.actor.strategy=fsdp a.lr=1e-6")
    for n in range(40)
)
CONFIG = "# Operating mode: false = Decoupled, true = Bypass\nbypass_mode: false\n"
OTHERS = [document(make_change(n, title=f"fix thing number {n}")) for n in range(60)]


def scorer(overrides, *, profile=VERL, changes=(), **declared):
    base = Baseline(upstream="verl-project/verl", examples=EXAMPLES)
    script = UsageInput("run.sh", f"python -m verl.trainer.main_ppo {overrides}")
    usage = read_usage([script], [VERL, VLLM], declared=Declared(**declared), baselines=[base])
    around = Surroundings(
        corpus=corpus_of((*map(document, changes), *OTHERS)),
        fields=FIELDS,
        glosses=read_glosses([CONFIG], EXAMPLES),
    )
    return AffectedScorer(build_context(usage, profile, around), WEIGHTS)


def change(title, *, facets=(), functions=(), path="verl/utils/x.py", **fields):
    made = make_change(1, title=title, **fields)
    file = TouchedFile(path=path, role=Role.SOURCE, functions=functions)
    message = replace(made.message, facets=tuple(facets))
    return replace(made, message=message, diff=replace(made.diff, files=(file,)))


DECOUPLED = change(
    "[fsdp] fix: add FSDP1 restore handler for Decoupled PPO",
    facets=("fsdp", "fsdp1"),
    guards=(Guard("strategy", "==", "fsdp"), Guard("strategy", "in", "fsdp2")),
)


@pytest.mark.parametrize(
    ("strategy", "bypass", "is_likely", "reason"),
    [
        ("fsdp", "False", True, "bypass_mode=False"),
        ("fsdp2", "False", False, "speaks of fsdp1 only, which you do not run"),
        (
            "fsdp",
            "True",
            False,
            "Decoupled, that is bypass_mode=false; you have x.bypass_mode=True",
        ),
    ],
)
def test_a_fix_for_one_sharding_and_one_mode_meets_only_those_who_run_both(
    strategy, bypass, is_likely, reason
):
    overrides = f"actor_rollout_ref.actor.strategy={strategy} x.bypass_mode={bypass}"
    made = replace(
        DECOUPLED,
        message=replace(DECOUPLED.message, closes=(9,), body="Seen with bypass_mode=False only."),
    )

    found = scorer(overrides, changes=[made]).score(made)

    assert (found.tier is Tier.LIKELY) is is_likely
    assert any(reason in one.detail for one in found.evidence)


def test_offloaded_fsdp2_state_is_likely_for_those_who_offload_and_name_the_file():
    made = change(
        "[fsdp] fix: wait for the copy in offload_fsdp2_model_to_cpu, weights were garbled",
        facets=("fsdp", "fsdp2", "offload"),
        functions=("offload_fsdp2_model_to_cpu",),
        path="verl/utils/fsdp_utils.py",
    )
    overrides = "actor_rollout_ref.actor.strategy=fsdp2 x.fsdp_config.param_offload=True"
    crash = change("fix: crash at the start of a worker")

    judged = scorer(overrides, changes=[made], paths=("verl/utils/fsdp_utils.py",))

    assert judged.score(made).tier is Tier.LIKELY
    assert judged.score(made).score > judged.score(crash).score
    assert "silent" not in judged.score(made).evidence[0].detail


@pytest.mark.parametrize(
    ("title", "facets", "kind"),
    [
        ("[ROCm] Fix attention", ("rocm",), Kind.FIX),
        ("[TPU] Fix sampler", ("tpu",), Kind.FIX),
        ("[Doc] Fix the guide", (), Kind.DOCS),
    ],
)
def test_other_hardware_and_documents_are_unlikely_for_a_cuda_user_and_say_why(title, facets, kind):
    found = scorer("a.b=1", profile=VLLM).score(change(title, facets=facets, kind=kind))

    assert found.tier is Tier.UNLIKELY
    assert found.limited_by


def test_silent_damage_comes_before_a_crash_and_a_crash_before_a_message():
    judged = scorer("a.b=1")
    scores = [
        judged.score(change(title)).score
        for title in ("fix wrong values", "fix crash", "fix slow path", "fix warning")
    ]

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_the_shown_weights_and_constant_add_up_to_the_score():
    found = scorer("actor_rollout_ref.actor.strategy=fsdp2").score(DECOUPLED)

    logit = found.constant + sum(one.weight for one in found.evidence)
    assert 1 / (1 + math.exp(-logit)) == pytest.approx(found.score, abs=0.002)


def test_no_signal_at_all_is_the_constant():
    assert judge("a" * 40, [], WEIGHTS).logit == WEIGHTS.constant


@pytest.mark.parametrize(
    ("presence", "withdrawn_by", "expected"),
    [
        (Presence.PRESENT, None, (Tier.LIKELY, None)),
        (Presence.PARTLY, None, (Tier.LIKELY, None)),
        (Presence.UNKNOWN, None, (Tier.LIKELY, None)),
        (Presence.ABSENT, None, (Tier.POSSIBLE, "absent")),
        (Presence.CONTAINED, None, (Tier.UNLIKELY, "contained")),
        (Presence.CONTAINED, "b" * 40, (Tier.LIKELY, None)),
        (Presence.WITHDRAWN, "b" * 40, (Tier.UNLIKELY, "withdrawn")),
    ],
)
def test_presence_gates_the_tier(presence, withdrawn_by, expected):
    found = gate(Tier.LIKELY, Verdict(presence=presence, detail="d", withdrawn_by=withdrawn_by))

    assert (found.tier, found.collapsed) == expected


def test_what_is_unlikely_is_counted_below_the_list():
    found = gate(Tier.UNLIKELY, Verdict(presence=Presence.PRESENT, detail="d"))

    assert found.collapsed == "unlikely"


@pytest.mark.parametrize("text", ["", "x =", "[usage]\nconstant = 'a'", "[usage]\nconstant = 1"])
def test_unusable_weights_are_named(text):
    with pytest.raises(ConfigError, match="weights of the matching rules"):
        parse_usage_weights(text)
