"""One stream of git log -p lines becomes the diffs of its commits."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import GitRepo
from tests.properties import robust
from watcher.facts.diff import FileStatus, Role
from watcher.history import diff as diff_module
from watcher.history.diff import CommitDiff, FileDiff, parse_log
from watcher.history.diff_facts import diff_facts
from watcher.history.hunk_lines import LINE_BYTES
from watcher.presence.lineage import Lineage

SHA = "a" * 40


def stream(*lines: str | bytes) -> list[list[bytes]]:
    return [[line.encode() if isinstance(line, str) else line for line in lines]]


def only_file(*lines: str | bytes) -> FileDiff:
    [commit] = parse_log(stream("\x01" + SHA, "", *lines))
    [file] = commit.files
    return file


def log_of(repo: GitRepo) -> list[CommitDiff]:
    text = repo.git(
        "-c", "core.quotepath=off", "log", "--reverse", "-p", "-U0", "-M", "--format=%x01%H"
    )
    return list(parse_log([text.encode("utf-8", "surrogateescape").split(b"\n")]))


def test_hunks_of_a_real_commit_hold_lines_and_places(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit({"pkg/a.py": "one\ntwo\nthree\n"})
    sha = repo.commit({"pkg/a.py": "one\n2\nthree\nfour\n"})

    last = log_of(repo)[-1]

    assert last.sha == sha
    [file] = last.files
    assert (file.path, file.role, file.status) == ("pkg/a.py", Role.SOURCE, FileStatus.MODIFIED)
    assert [(h.old_start, h.removed, h.new_start, h.added) for h in file.hunks] == [
        (1, ("two",), 1, ("2",)),
        (3, (), 3, ("four",)),
    ]
    assert (file.added, file.removed) == (2, 1)


def test_a_file_that_comes_moves_and_goes_says_so(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    text = "".join(f"line number {n}\n" for n in range(20))
    repo.commit({"a.py": text})
    repo.commit({"a.py": None, "b.py": text})
    repo.commit({"b.py": None, "c.py": "x\n"})

    added, renamed, deleted = log_of(repo)

    assert added.files[0].status is FileStatus.ADDED
    assert added.files[0].is_new
    [moved] = renamed.files
    assert (moved.old_path, moved.path, moved.status) == ("a.py", "b.py", FileStatus.RENAMED)
    assert {file.path: file.status for file in deleted.files} == {
        "b.py": FileStatus.DELETED,
        "c.py": FileStatus.ADDED,
    }


def test_paths_with_spaces_quotes_and_other_scripts_survive(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    names = ["with space.py", 'quo"te.py', "模型.py", "tab\there.py"]
    repo.commit(dict.fromkeys(names, "x = 1\n"))

    [commit] = log_of(repo)

    assert sorted(file.path for file in commit.files) == sorted(names)


def test_lines_that_look_like_headers_stay_lines(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.commit({"a.sh": "-- old\n"})
    repo.commit({"a.sh": "++ b/x\ndiff --git a/z b/z\n@@ -1 +1 @@\n"})

    [file] = log_of(repo)[-1].files

    assert file.hunks[0].removed == ("-- old",)
    assert file.hunks[0].added == ("++ b/x", "diff --git a/z b/z", "@@ -1 +1 @@")


def test_bytes_that_are_not_text_and_carriage_returns_do_no_harm() -> None:
    file = only_file(
        "diff --git a/a.py b/a.py",
        "@@ -1 +1 @@",
        b"-caf\xe9\r",
        b"+tea\r",
        rb"\ No newline at end of file",
    )

    assert file.hunks[0].removed == ("caf�",)
    assert file.hunks[0].added == ("tea",)


def test_binary_and_missing_files_are_told_without_hunks() -> None:
    [commit] = parse_log(
        stream(
            "\x01" + SHA,
            "\x02docs/big.png\x00missing on the remote",
            "",
            "diff --git a/x.bin b/x.bin",
            "Binary files a/x.bin and b/x.bin differ",
        )
    )

    assert [(f.path, f.omitted) for f in commit.files] == [
        ("docs/big.png", "missing on the remote"),
        ("x.bin", "binary"),
    ]


def test_a_mode_change_has_no_lines() -> None:
    file = only_file("diff --git a/run.sh b/run.sh", "old mode 100644", "new mode 100755")

    assert (file.path, file.hunks) == ("run.sh", ())


def test_too_large_a_file_keeps_its_counts_and_loses_its_text_alone() -> None:
    count = diff_module.FILE_LINES + 1
    commits = list(
        parse_log(
            stream(
                "\x01" + SHA,
                "diff --git a/big.py b/big.py",
                "@@ -1,0 +2,5 @@",
                *["+x"] * 5,
                f"@@ -10,2 +15,{count} @@",
                *["-y"] * 2,
                *["+z"] * count,
                "diff --git a/small.py b/small.py",
                "@@ -1 +1 @@",
                "-a",
                "+b",
            )
        )
    )

    big, small = commits[0].files
    assert big.omitted == "too large"
    [hunk] = big.hunks
    assert (hunk.old_start, hunk.old_end) == (1, 11)
    assert hunk.new_count - hunk.old_count == 5 + count - 2
    assert (hunk.removed, hunk.added) == ((), ())
    assert small.hunks[0].added == ("b",)


def test_a_commit_too_large_as_a_whole_loses_the_text_of_its_later_files(monkeypatch) -> None:
    monkeypatch.setattr(diff_module, "COMMIT_BYTES", 30)
    files = [
        line
        for name in ("a.py", "b.py", "c.py")
        for line in (f"diff --git a/{name} b/{name}", "@@ -0,0 +1 @@", "+" + name * 4)
    ]

    [commit] = parse_log(stream("\x01" + SHA, *files))

    assert [file.omitted for file in commit.files] == [None, "too large", "too large"]
    assert [file.added for file in commit.files] == [1, 1, 1]


def test_the_text_of_documents_is_not_kept() -> None:
    file = only_file("diff --git a/docs/a.md b/docs/a.md", "@@ -0,0 +1,2 @@", "+prose", "+more")

    assert (file.added, file.omitted, file.hunks[0].added) == (2, None, ())


def test_a_very_long_line_is_cut() -> None:
    file = only_file("diff --git a/a.py b/a.py", "@@ -0,0 +1 @@", "+" + "x" * 100_000)

    assert len(file.hunks[0].added[0]) < LINE_BYTES


def test_a_hunk_that_breaks_off_is_dropped_and_the_rest_read() -> None:
    lines = stream(
        "\x01" + SHA, "diff --git a/a.py b/a.py", "@@ -1,3 +1,3 @@", "-a", "\x01" + "b" * 40
    )

    first, second = parse_log(lines)

    assert first.files[0].hunks == ()
    assert (second.sha, second.files) == ("b" * 40, ())


PIECES = st.sampled_from(
    [
        b"\x01" + b"a" * 40,
        b"\x01",
        b"\x02a.py\x00gone",
        b"\x02",
        b"diff --git a/a.py b/a.py",
        b'diff --git "a/\\303" b/x',
        b"diff --git ",
        b"new file mode 100644",
        b"rename from a.py",
        b"rename to",
        b"--- a/a.py",
        b"+++ /dev/null",
        b"@@ -1,2 +1,2 @@ def f():",
        b"@@ -999999999,999999999 +0,0 @@",
        b"@@ -999999999,0 +999999999 @@",
        b"@@ nonsense @@",
        b"+line",
        b"-line",
        b"\\ No newline at end of file",
        b"Binary files a/x and b/x differ",
        b"\xff\xfe",
        b"",
    ]
)


@robust
@given(st.lists(st.one_of(PIECES, st.binary(max_size=12)), max_size=30))
def test_no_stream_stops_the_reading(lines: list[bytes]) -> None:
    marks = [line for line in lines if line.startswith(b"\x01")]
    lineage = Lineage()

    commits = list(parse_log([lines]))
    for position, commit in enumerate(commits):
        diff_facts(commit, lineage.apply(commit, position).functions)

    assert len(commits) <= len(marks)
