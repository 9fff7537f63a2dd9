"""What puts a change first, and the reasons that are given for it."""

from __future__ import annotations

import itertools
import math

import pytest

from tests.matching.ranking_material import (
    FRAMES,
    candidate,
    numbers,
    query_of,
    ranked,
    shipped_weights,
)
from watcher.facts.item import EvidenceKind
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.facts.symptom import Symptom
from watcher.matching.bm25 import corpus_of, score, term_weights
from watcher.matching.confidence import confidence, is_certain, threshold
from watcher.matching.rank import logistic

OTHERS = [candidate(number, f"Tidy the scheduler part {number}") for number in range(2, 12)]


@pytest.mark.parametrize(
    ("symptom", "title"),
    [
        (
            Symptom(text="the block manager leaks memory"),
            "Stop a leak of memory in the block manager",
        ),
        (Symptom(errors=("KeyError: lm_head",)), "Load lm_head when embeddings are tied"),
        (Symptom(text="训练卡死"), "Fix a hang at the end of an epoch"),
        (Symptom(text="it gets stuck"), "Fix a deadlock at the end of an epoch"),
        (Symptom(config=(("actor.use_fused_kernels", "True"),)), "Fix use_fused_kernels"),
    ],
    ids=["words", "error", "chinese", "other words", "settings"],
)
def test_the_change_that_speaks_of_the_symptom_comes_first(symptom: Symptom, title: str) -> None:
    assert numbers(ranked(symptom, [*OTHERS, candidate(1, title)]))[0] == 1


@pytest.mark.parametrize(
    "better",
    [
        candidate(1, "Handle the case", functions=["Pool.release_blocks"]),
        candidate(1, "Handle the case", closes=(77,)),
    ],
    ids=["changes a function of the traceback", "closes a reported bug"],
)
def test_more_than_words_decides(better: object) -> None:
    symptom = Symptom(text="the case", frames=FRAMES)
    plain = candidate(2, "Handle the case", paths=["engine/other.py"])

    assert numbers(ranked(symptom, [plain, better], frames=FRAMES)) == [1, 2]  # type: ignore[list-item]


@pytest.mark.parametrize(
    "worse",
    [
        candidate(1, "Handle the case", kind=Kind.FEATURE),
        candidate(1, "Handle the case", presence=Presence.ABSENT),
        candidate(1, "Handle the case", paths=[f"engine/{name}.py" for name in "abcdefgh"]),
    ],
    ids=["a feature", "code that the pin does not have", "many files"],
)
def test_some_changes_stand_back(worse: object) -> None:
    symptom = Symptom(text="the case")

    assert numbers(ranked(symptom, [worse, candidate(2, "Handle the case")])) == [2, 1]  # type: ignore[list-item]


def test_the_order_does_not_depend_on_the_order_of_the_candidates() -> None:
    candidates = [candidate(number, f"Mend the {name}") for number, name in enumerate("abcd", 1)]
    symptom = Symptom(text="mend b")

    orders = {
        tuple(numbers(ranked(symptom, list(some)))) for some in itertools.permutations(candidates)
    }

    assert len(orders) == 1


def test_the_evidence_adds_up_to_the_score() -> None:
    symptom = Symptom(text="release_blocks frees the case twice", frames=FRAMES)
    best = ranked(
        symptom,
        [
            *OTHERS,
            candidate(1, "Free the case once", functions=["Pool.release_blocks"], closes=(9,)),
        ],
        frames=FRAMES,
    )[0]

    total = sum(one.weight for one in best.evidence)

    assert math.isclose(total, best.total)
    assert math.isclose(best.score, logistic(shipped_weights().constant + total))


def test_each_reason_can_be_checked() -> None:
    symptom = Symptom(text="case: frees twice", frames=FRAMES)
    best = ranked(
        symptom,
        [
            candidate(1, "Free the case once", functions=["Pool.release_blocks"], closes=(9,)),
            *OTHERS,
        ],
        frames=FRAMES,
    )[0]

    details = {one.kind: one.detail for one in best.evidence if one.weight > 0}

    assert "changes `Pool.release_blocks`, frame 1 of your traceback" in " ".join(
        one.detail for one in best.evidence
    )
    assert details[EvidenceKind.ISSUE] == "closes a reported bug (#9)"
    assert "matches in case, free" in " ".join(one.detail for one in best.evidence)


def test_an_empty_symptom_ranks_without_failing() -> None:
    assert len(ranked(Symptom(), OTHERS)) == len(OTHERS)
    assert ranked(Symptom(text="x"), []) == []


def test_a_clear_first_place_is_certain_and_a_crowd_is_not() -> None:
    clear = ranked(
        Symptom(text="block manager leaks memory"),
        [*OTHERS, candidate(1, "Block manager leaks memory", closes=(4,))],
    )
    crowd = ranked(Symptom(text="nothing of the kind"), OTHERS)

    assert is_certain(clear, Symptom(text="x"), shipped_weights())
    assert not is_certain(crowd, Symptom(text="x"), shipped_weights())
    assert confidence([]) == 0


def test_one_word_shared_by_chance_is_not_certain_however_rare() -> None:
    weights, weather = shipped_weights(), candidate(1, "Handle rain")
    noise = Symptom(text="rain tomorrow and a light wind from the west")
    asked = Symptom(text="rain")
    traced = Symptom(errors=("rain tomorrow",), frames=FRAMES)
    changed = candidate(1, "Handle rain", functions=["Pool.release_blocks"])

    by_chance = ranked(noise, [*OTHERS, weather])
    as_asked = ranked(asked, [*OTHERS, weather])
    with_file = ranked(traced, [*OTHERS, changed], frames=FRAMES)

    assert [numbers(one)[0] for one in (by_chance, as_asked, with_file)] == [1, 1, 1]
    assert confidence(by_chance) >= threshold(noise, weights)
    assert not is_certain(by_chance, noise, weights)
    assert is_certain(as_asked, asked, weights)
    assert is_certain(with_file, traced, weights)


def test_words_and_log_together_must_lead_by_more() -> None:
    weights = shipped_weights()

    assert threshold(Symptom(text="x", errors=("y",)), weights) > threshold(
        Symptom(text="x"), weights
    )


def test_one_saturation_over_all_fields() -> None:
    in_title = candidate(1, "leak").document
    in_both = candidate(2, "leak", body="leak leak leak").document
    corpus = corpus_of([in_title, in_both, *(one.document for one in OTHERS)])
    fields = shipped_weights().fields

    found = [
        score({"leak": 1.0}, term_weights(one, {"leak"}, fields, corpus), corpus, 1.2)
        for one in (in_title, in_both)
    ]

    assert found[0] < found[1] < found[0] * 1.3


def test_the_first_sentence_weighs_most_and_parts_of_names_half() -> None:
    bag = query_of(Symptom(text="Crash in free_pool. Later words.")).parts["text"]

    assert bag["crash"] == 1.0
    assert bag["=free_pool"] == 1.0
    assert bag["pool"] == 0.5
    assert bag["word"] == 0.7
