"""GitHub's words make a change fuller and never contradict git."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from tests.github_stories import profile_of
from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts
from watcher.facts.issue import PullRequestWords
from watcher.facts.kind import Kind, State
from watcher.history.message import parse_message
from watcher.history.words import enrich, named_by_words, named_issues
from watcher.ports.mirror import RawMessage

VLLM = "vllm-project/vllm"


def landed(message: str) -> Change:
    raw = RawMessage("a" * 40, (), datetime(2026, 4, 1, tzinfo=UTC), message)
    parsed = parse_message(raw, profile_of(VLLM), frozenset())
    return Change(upstream=VLLM, branch="main", position=1, message=parsed, diff=DiffFacts())


WORDS = PullRequestWords(
    upstream=VLLM,
    number=50,
    title="[Bugfix] Restore buffers on wake up",
    body="Buffers are lost after sleeping.\n\nFixes #41. Introduced by #30.",
    state=State.MERGED,
    labels=("lora", "rocm"),
    closes=(42,),
)


def enriched(message: str = "[Bugfix] Restore buffers on wake up (#50)") -> Change:
    return enrich(landed(message), WORDS, profile_of(VLLM), frozenset())


def test_a_bare_commit_gets_the_description_and_what_it_closes():
    change = enriched()

    assert "Buffers are lost after sleeping." in change.message.body
    assert set(change.message.closes) == {41, 42}
    assert 30 in {mention.number for mention in change.message.mentions}


def test_labels_are_kept_and_give_free_facets():
    change = enriched()

    assert change.labels == ("lora", "rocm")
    assert "lora" in change.facets
    assert "rocm" not in change.facets


def test_git_says_when_and_as_what_it_landed():
    before, after = landed("[Bugfix] Restore buffers on wake up (#50)"), enriched()

    assert (after.sha, after.number, after.message.committed_at, after.message.title) == (
        before.sha,
        50,
        before.message.committed_at,
        before.message.title,
    )
    assert after.message.kind is Kind.FIX


def test_enriching_twice_changes_nothing():
    once = enriched()

    assert enrich(once, WORDS, profile_of(VLLM), frozenset()) == once


def test_a_longer_commit_message_stays():
    message = "[Bugfix] Restore buffers (#50)\n\n" + "The commit tells the whole story here. " * 9

    assert "whole story" in enriched(message).message.body


def test_the_issues_that_changes_and_words_name():
    assert named_issues([enriched()]) == (41, 42)
    assert set(named_by_words(replace(WORDS, closes=(7,)), profile_of(VLLM))) >= {7, 41}
