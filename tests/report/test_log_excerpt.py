"""A long log is quoted by its end and its tracebacks; what is left out is counted."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.report.log_excerpt import KeptLog


def kept(lines: Sequence[str]) -> KeptLog:
    log = KeptLog()
    assert list(log.keep(lines)) == list(lines)
    return log


def test_a_short_log_is_quoted_whole() -> None:
    assert kept(["one\n", "two\n"]).text(1_000) == "one\ntwo"


def test_the_end_and_a_traceback_of_the_middle_stay() -> None:
    lines = [f"step {at}" for at in range(5_000)]
    lines[2_500] = "(WorkerDict pid=7) Traceback (most recent call last):"
    lines[2_501] = "(WorkerDict pid=7) RuntimeError: the cause"

    text = kept(lines).text(6_000)

    assert "RuntimeError: the cause" in text
    assert text.endswith("step 4999")
    assert "lines left out" in text
    assert len(text) < 7_000


def test_gaps_add_up_to_what_is_missing() -> None:
    log = kept([f"step {at}" for at in range(10_000)])
    lines = log.text(3_000).splitlines()

    left_out = [int(line.split()[1].replace(",", "")) for line in lines if "left out" in line]

    assert sum(left_out) + len(lines) - len(left_out) == 10_000


def test_an_empty_log_is_nothing() -> None:
    assert kept([]).text(100) == ""
