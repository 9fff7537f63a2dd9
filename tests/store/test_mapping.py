"""Any change becomes a row and the same change again; a row that fits nothing is refused."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import make_change, make_issue
from tests.properties import robust
from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts, FileStatus, OriginRecord, Role, TouchedFile
from watcher.facts.kind import Kind
from watcher.facts.message import Message
from watcher.ports.change_filter import ALL_PARTS, Part
from watcher.store.codec import CodecError, loads
from watcher.store.mapping import ChangeReader, change_row, issue_of, issue_row

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = st.lists(texts, max_size=3).map(tuple)
numbers = st.integers(0, 10**9)
files = st.builds(
    TouchedFile,
    path=texts,
    role=st.sampled_from(Role),
    status=st.sampled_from(FileStatus),
    old_path=st.none() | texts,
    added=numbers,
    functions=words,
)
changes = st.builds(
    Change,
    upstream=texts,
    branch=texts,
    position=st.none() | numbers,
    message=st.builds(
        Message,
        sha=texts,
        committed_at=st.datetimes(timezones=st.just(UTC)),
        subject=texts,
        title=texts,
        number=st.none() | numbers,
        body=texts,
        raw_body=texts,
        kind=st.sampled_from(Kind),
        breaking=st.booleans(),
        closes=st.lists(numbers, max_size=2).map(tuple),
    ),
    diff=st.builds(
        DiffFacts,
        files=st.lists(files, max_size=3).map(tuple),
        identifiers=words,
        origins=st.none() | st.builds(OriginRecord, scope=texts, payload=texts),
    ),
    facets=words,
)


def read(row: dict[str, Any], parts: frozenset[Part] = ALL_PARTS) -> Change:
    reader = ChangeReader(parts)
    return reader.change([row[column] for column in reader.columns])


@robust
@given(changes)
def test_a_change_survives_its_row(change: Change) -> None:
    assert read(change_row(change)) == change


@robust
@given(changes, st.sets(st.sampled_from(Part)))
def test_any_parts_give_a_change_with_the_same_message(change: Change, parts: set[Part]) -> None:
    partial = read(change_row(change), frozenset(parts))

    assert partial.message.body == change.message.body
    assert partial.diff.files == (change.diff.files if Part.FILES in parts else ())


@pytest.mark.parametrize(
    ("column", "content"),
    [
        ("message", '{"sha": 3}'),
        ("message", "{}"),
        ("message", "[]"),
        ("words", "null"),
        ("words", '{"upstream": "a/b"}'),
        ("files", '[{"path": "a", "role": "poem"}]'),
        ("files", "7"),
        ("code", '{"identifiers": [1]}'),
        ("origins", '{"scope": "code"}'),
        ("raw_body", "not quoted"),
        ("raw_body", "[" * 100_000),
    ],
)
def test_a_row_that_fits_no_change_is_refused(column: str, content: str) -> None:
    with pytest.raises(CodecError):
        read(change_row(make_change(1)) | {column: content})


def test_a_field_added_later_reads_as_its_default_from_older_rows() -> None:
    row = issue_row(make_issue(1, reactions=4))
    assert '"comments"' not in str(row["body"])

    assert issue_of(str(row["body"]), str(row["raw_body"])) == make_issue(1, reactions=4)


@pytest.mark.parametrize("text", ["", "{", "[" * 200_000, "\x00"])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        loads(text)
