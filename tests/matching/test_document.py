"""What search sees of a change and of an issue."""

from __future__ import annotations

import pytest

from tests.builders import make_change, make_issue
from tests.matching.ranking_material import shipped_weights
from watcher.facts.document import Document
from watcher.facts.symptom import Frame
from watcher.matching.bm25 import corpus_of, term_weights
from watcher.matching.document import document, focused, issue_document
from watcher.matching.tokens import count_tokens, stem, tokenize, without_references


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("crashes crashed crashing", ["crash", "crash", "crash"]),
        ("the is of", []),
        ("update_weights", ["=update_weights", "updat", "weight"]),
        ("FSDPModel", ["=fsdpmodel", "fsdp", "model"]),
        ("Qwen2", ["=qwen2", "qwen", "qwen2"]),
        ("0.8.5 float16", ["0.8.5", "=float16", "float", "16", "float16"]),
        ("权重", []),
        ("x" * 200, []),
    ],
)
def test_a_text_gives_these_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("words", "common"),
    [
        ("fix fixes fixed fixing", "fix"),
        ("add adds added adding", "add"),
        ("free frees", "free"),
        ("bug bugs", "bug"),
        ("hang hangs hanging", "hang"),
        ("crash crashes crashed", "crash"),
        ("stop stopped stopping", "stop"),
        ("generate generated generation", "generat"),
        ("query queries queried", "query"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(words: str, common: str) -> None:
    assert {stem(word) for word in words.split()} == {common}


@pytest.mark.parametrize(
    "word", ["loss", "status", "bias", "axis", "int8s", "need", "speed", "ops"]
)
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stem(word) == word


def test_issue_numbers_and_addresses_tell_nothing() -> None:
    text = "see https://example.org/x/1 and acme/engine#12, issue 7"

    assert count_tokens(without_references(text)) == {"see": 1}


def test_a_change_is_spread_over_fields() -> None:
    change = make_change(
        1,
        title="Free the pool (#1)",
        body="It leaked blocks. See #12",
        paths=["engine/pool.py"],
        identifiers=("free_pool", "pool"),
        strings=("set ENGINE_DEBUG to see",),
    )

    fields = document(change).fields

    assert fields["title"] == {"free": 1, "pool": 1}
    assert fields["body"] == {"leak": 1, "block": 1, "see": 1}
    assert fields["paths"] == {"engin": 1, "pool": 1}
    assert fields["identifiers"]["=free_pool"] == 1
    assert fields["identifiers"]["=engine_debug"] == 1


def test_a_long_diff_does_not_repeat_a_name() -> None:
    change = make_change(1, identifiers=("pool", "pool_a", "pool_b"))

    assert set(document(change).fields["identifiers"].values()) == {1}


def test_an_issue_counts_its_frames_as_places() -> None:
    issue = make_issue(7, title="Pool leaks", frames=(Frame("engine/pool.py", "free"),))

    one = issue_document(issue, 40)

    assert (one.key, one.position) == ("#7", 40)
    assert one.fields["functions"] == {"free": 1}
    assert "pool" in one.fields["paths"]


def test_a_focused_document_scores_wanted_tokens_as_the_whole_one_does() -> None:
    whole = Document(
        key="a",
        position=3,
        fields={
            "title": {"offload": 1, "hang": 1},
            "body": {"offload": 2, "the": 7, "shard": 1},
            "paths": {"worker": 4},
        },
    )
    corpus = corpus_of([whole, Document(key="b", position=4, fields={"body": {"the": 3}})])
    fields = shipped_weights().fields
    wanted = frozenset({"offload", "shard"})

    cut = focused(whole, wanted)

    assert term_weights(cut, wanted, fields, corpus) == term_weights(whole, wanted, fields, corpus)
    assert cut.fields["title"] == whole.fields["title"]
    assert set(cut.fields["body"]) == {"offload", "shard", ""}
