"""Issues, GitHub's words, cursors and documents go in and come back the same."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from tests.builders import make_issue
from watcher.errors import StoreError
from watcher.facts.issue import PullRequestWords
from watcher.facts.kind import State
from watcher.facts.symptom import Frame
from watcher.ports.change_filter import LIGHT_PARTS
from watcher.store.repository import SqlStore

UPSTREAM = "acme/engine"
TIME = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def test_an_issue_comes_back_equal_in_every_field(store: SqlStore) -> None:
    issue = make_issue(
        7,
        raw_body="raw \0 \u202e",
        state=State.CLOSED,
        state_reason="not_planned",
        closed_at=TIME,
        labels=("bug",),
        reactions=3,
        errors=("RuntimeError: x",),
        frames=(Frame("a.py", "f", 3),),
        versions=(("torch", "2.5.1"),),
        linked_numbers=(8,),
    )

    store.save_issues([issue])

    assert store.issues(UPSTREAM) == [issue]


def test_issues_are_read_without_raw_bodies_when_nobody_asks_for_them(store: SqlStore) -> None:
    store.save_issues([make_issue(7, raw_body="long")])

    assert store.issues(UPSTREAM, parts=LIGHT_PARTS) == [make_issue(7)]


def test_issues_come_newest_activity_first_and_are_replaced_by_number(store: SqlStore) -> None:
    store.save_issues(make_issue(number) for number in (1, 3, 2))

    store.save_issues([make_issue(1, title="new", updated_at=TIME)])

    assert [(one.number, one.title) for one in store.issues(UPSTREAM)] == [
        (1, "new"),
        (3, "Engine fails, case 3"),
        (2, "Engine fails, case 2"),
    ]
    assert [one.number for one in store.issues(UPSTREAM, [2, 9])] == [2]


def test_the_last_of_two_tellings_in_one_save_holds(store: SqlStore) -> None:
    store.save_issues([make_issue(1, title="first"), make_issue(1, title="second")])

    assert [one.title for one in store.issues(UPSTREAM)] == ["second"]


def test_an_issue_with_a_naive_time_is_refused(store: SqlStore) -> None:
    with pytest.raises(StoreError, match="naive time"):
        store.save_issues([make_issue(1), make_issue(2, closed_at=datetime(2026, 1, 1))])  # noqa: DTZ001  the point

    assert store.issues(UPSTREAM) == []


def test_words_come_back_by_number(store: SqlStore) -> None:
    words = PullRequestWords(
        upstream=UPSTREAM,
        number=5,
        title="t",
        body="b",
        state=State.MERGED,
        merged_at=TIME,
        closes=(1,),
        unresolved_remarks=("same defect in save",),
    )
    store.save_words([replace(words, title="old"), replace(words, number=6)])

    store.save_words([words])

    assert store.words(UPSTREAM) == {5: words, 6: replace(words, number=6)}
    assert store.words(UPSTREAM, [5, 70]) == {5: words}


def test_a_cursor_is_stored_changed_and_removed(store: SqlStore) -> None:
    assert store.cursor("issues") is None

    store.save_cursor("issues", "page 1")
    store.save_cursor("issues", "page 2")
    assert store.cursor("issues") == "page 2"

    store.save_cursor("issues", None)
    assert store.cursor("issues") is None


def test_a_document_is_stored_changed_and_removed(store: SqlStore) -> None:
    document = {"a": [1, 2.5, None, True, "乱码 \udcff"], "b": {}}

    store.save_document("digest", "slack", "old")
    store.save_document("digest", "slack", document)  # type: ignore[arg-type]
    assert store.document("digest", "slack") == {"a": [1, 2.5, None, True, "乱码 \ufffd"], "b": {}}

    store.save_document("digest", "slack", None)
    assert store.document("digest", "slack") is None
