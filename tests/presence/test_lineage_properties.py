"""The line table against git blame, against a naive list, and against itself in pieces."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import GitRepo
from tests.presence.stories import commit_diff, told
from tests.properties import robust
from watcher.history.diff import CommitDiff, parse_log
from watcher.presence.lineage import Lineage
from watcher.presence.state import dump, load

PATH = "pkg/a.py"
Edits = list[list[tuple[str, int]]]
"""For each commit, what is done at which line."""

EDITS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["insert", "delete", "indent"]), st.integers(0, 12)),
        min_size=1,
        max_size=4,
    ),
    min_size=1,
    max_size=6,
)


def unlike(number: int) -> str:
    """A line that is like no other."""
    return f"x_{sha256(str(number).encode()).hexdigest()}"


def versions(edits: Edits) -> list[list[str]]:
    """The file after each commit; every inserted line is new."""
    lines: list[str] = []
    made = 0
    found = []
    for commit in edits:
        lines = list(lines)
        for what, where in commit:
            at = min(where, len(lines))
            if what == "insert":
                lines.insert(at, unlike(made))
                made += 1
            elif at < len(lines):
                lines[at : at + 1] = [] if what == "delete" else ["  " + lines[at]]
        found.append(lines)
    return found


def diffs_of(states: list[list[str]]) -> list[CommitDiff]:
    trees = [{}, *({PATH: state} for state in states)]
    return [commit_diff(at, before, after) for at, (before, after) in enumerate(pairwise(trees))]


@robust
@given(EDITS)
def test_origins_agree_with_a_naive_list(edits: Edits) -> None:
    states = versions(edits)
    naive: dict[str, int] = {}
    for position, state in enumerate(states):
        for line in state:
            naive.setdefault(line.strip(), position)
    lineage = Lineage()

    told(lineage, diffs_of(states))

    assert list(lineage.lines[PATH]) == [naive[line.strip()] for line in states[-1]]


@robust
@given(EDITS, st.integers(0, 6))
def test_going_on_from_a_saved_state_equals_one_pass(edits: Edits, cut: int) -> None:
    diffs = diffs_of(versions(edits))
    whole, part = Lineage(), Lineage()
    records = told(whole, diffs)

    first = told(part, diffs[:cut])
    resumed = load(dump(part))
    second = told(resumed, diffs[cut:], start=len(first))

    assert first + second == records
    assert dump(resumed) == dump(whole)
    assert dump(load(dump(whole))) == dump(whole)


def fast_import(states: list[list[str]]) -> bytes:
    """A linear history of one file as git reads it in one go."""
    parts = []
    for at, state in enumerate(states):
        content = "".join(line + "\n" for line in state).encode()
        who = f"Ada <ada@example.org> {1_700_000_000 + at} +0000"
        parts.append(
            f"commit refs/heads/main\nmark :{at + 1}\ncommitter {who}\ndata 1\nc\n"
            + (f"from :{at}\n" if at else "")
            + f"M 100644 inline {PATH}\ndata {len(content)}\n"
        )
        parts.append(content.decode() + "\n")
    return "".join(parts).encode()


@settings(robust, max_examples=15)
@given(EDITS.filter(lambda edits: bool(versions(edits)[-1])))
def test_origins_agree_with_git_blame(edits: Edits) -> None:
    states = versions(edits)
    with tempfile.TemporaryDirectory() as home:
        repo = GitRepo(Path(home) / "repo")
        repo.git("fast-import", "--quiet", "--force", stdin=fast_import(states))
        log = repo.git(
            "log", "--reverse", "-p", "-U0", "-M50", "--format=%x01%H", "main", "--", "."
        )
        shas = repo.git("rev-list", "--reverse", "main").split()
        blame = repo.git("blame", "-w", "-M", "-s", "-l", "--root", "main", "--", PATH)
    lineage = Lineage()
    for diff in parse_log([log.encode().split(b"\n")]):
        lineage.apply(diff, shas.index(diff.sha))

    blamed = [shas.index(line.split(maxsplit=1)[0]) for line in blame.split("\n")]

    assert [lineage.chains.birth(line) for line in lineage.lines[PATH]] == blamed
