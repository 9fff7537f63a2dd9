"""The body of a hunk is read at once where that is safe, and then says the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.properties import robust
from watcher.history.hunk_lines import LINE_BYTES, HunkBody, LineStream, read_body, read_by_line

SIGNS = st.sampled_from([b"-", b"+", b"\\", b" ", b""])
TEXTS = st.sampled_from(
    [b"", b"x = 1", b"cut\r", b"\r\r", b"a\rb", b"\n-", b"\xe2\x82", b"\xf0\x80", "ü".encode()]
) | st.binary(max_size=6)
LINES = st.builds(bytes.__add__, SIGNS, TEXTS)


def at_once(stream: LineStream, *size: int) -> tuple[HunkBody, list[bytes]]:
    return read_body(stream, *size), list(stream)


def one_by_one(stream: LineStream, count: int, room: int) -> tuple[HunkBody, list[bytes]]:
    return read_by_line(stream, count, room), list(stream)


@robust
@given(
    st.lists(st.lists(LINES, max_size=8), max_size=4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(-1, 40),
)
def test_a_hunk_read_at_once_is_the_same_as_line_by_line(
    batches: list[list[bytes]], old_count: int, new_count: int, room: int
) -> None:
    expected = one_by_one(LineStream(batches), old_count + new_count, room)

    assert at_once(LineStream(batches), old_count, new_count, room) == expected


@robust
@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, max_size=4), st.integers(0, 8))
def test_a_usual_hunk_says_the_same_at_once(
    removed: list[bytes], added: list[bytes], cut: int
) -> None:
    lines = [b"-" + text for text in removed] + [b"+" + text for text in added]
    batches = [lines[:cut], lines[cut:]]

    expected = one_by_one(LineStream(batches), len(lines), 10_000)

    assert at_once(LineStream(batches), len(removed), len(added), 10_000) == expected


def test_a_long_line_is_cut() -> None:
    body = read_body(LineStream([[b"+" + b"x" * 9_000]]), 0, 1, 10_000)

    assert [len(text) for text in body.added] == [LINE_BYTES - 1]
    assert body.size == 9_001
