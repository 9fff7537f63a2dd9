"""What a run prints: tables in Markdown, the machine, options that name sections."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.benchmarks import machine
from tests.benchmarks.__main__ import SECTIONS, parser, run, upstream_of
from tests.benchmarks.asking import words_asked, write_log
from tests.benchmarks.measure import COST_HEAD, Cost, cost_row, markdown
from tests.benchmarks.project import BenchProject, Upstream


def test_a_table_is_markdown_with_its_columns_aligned() -> None:
    told = markdown([("what", "CPU"), ("first sync", "1.00 s")])

    assert told.splitlines() == [
        "| what       | CPU    |",
        "| ---------- | ------ |",
        "| first sync | 1.00 s |",
    ]


def test_a_cost_is_a_row_and_so_is_a_failure() -> None:
    assert cost_row("sync", Cost(1.234, 2.5, 99.6)) == ("sync", "1.23 s", "2.50 s", "100 MB")
    assert cost_row("git alone", None) == ("git alone", "fails", "-", "-")
    assert len(COST_HEAD) == len(cost_row("x", None))


def test_two_costs_add_their_times_and_keep_the_higher_peak() -> None:
    assert Cost(1, 2, 30) + Cost(1, 1, 50) == Cost(2, 3, 50)


def test_the_machine_is_told() -> None:
    told = dict(machine.describe(datetime(2026, 1, 2, tzinfo=UTC)))

    assert told["date"] == "2026-01-02"
    assert {"processor", "memory", "Python", "git", "SQLite"} <= told.keys()


def test_processor_and_memory_are_read_from_the_systems_files() -> None:
    files = {
        "/proc/cpuinfo": "processor\t: 0\nmodel name\t: Example CPU @ 2 GHz\n",
        "/proc/meminfo": "MemTotal:       16777216 kB\n",
    }

    assert machine.processor(files.__getitem__) == "Example CPU @ 2 GHz"
    assert machine.memory(files.__getitem__) == "16 GiB"
    assert machine.memory(lambda _: "") == "not told"


def test_sections_are_chosen_by_name(tmp_path: Path) -> None:
    assert parser().parse_args(["sync", "list"]).sections == ["sync", "list"]
    with pytest.raises(SystemExit, match="no section nonsense; there are: sync"):
        run(parser().parse_args(["nonsense"]), tmp_path)
    assert list(SECTIONS)[-1] == "requests"


def test_a_real_upstream_is_one_on_this_machine() -> None:
    assert upstream_of("a/b=file:///mirror") == Upstream("a/b", "file:///mirror")
    with pytest.raises(SystemExit, match="want OWNER/NAME=file"):
        upstream_of("a/b=https://example.org/a/b.git")


def test_words_are_asked_of_a_fix(tmp_path: Path) -> None:
    upstream = Upstream("a/b", tmp_path.as_uri())
    upstream.git("init", "-q", "-b", "main")
    title = "[core] fix: workers hang after reload with four shards (#7)"
    upstream.git(*_AUTHOR, "commit", "-q", "--allow-empty", "-m", title)

    assert words_asked(upstream) == ["workers", "hang", "after", "reload", "with"]


_AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org")


def test_a_log_has_its_size_and_ends_with_an_error(tmp_path: Path) -> None:
    write_log(tmp_path / "log", 20_000)
    text = (tmp_path / "log").read_text(encoding="utf-8")

    assert 19_000 < len(text) < 21_000
    assert text.splitlines()[-1] == "RuntimeError: shard mask differs"


def test_what_a_project_keeps_is_counted_by_kind(tmp_path: Path) -> None:
    project = BenchProject.make(tmp_path, Upstream("a/b", "file:///none"), "v1")
    mirrors = project.directory / ".watcher" / "mirrors"
    for name in ("a+b.git/pack", "a+b.index", "a+b.lineage/x.lineage"):
        (mirrors / name).parent.mkdir(parents=True, exist_ok=True)
        (mirrors / name).write_bytes(b"x" * 1_000_000)
    (project.directory / "watcher.db").write_bytes(b"x" * 2_000_000)

    sizes = {name: round(size) for name, size in project.disk_mb().items()}
    assert sizes == {"store": 2, "index": 1, "lines": 1, "mirror": 1}
