"""Trial cherry-picks: they say what ``git cherry-pick`` would, and leave the mirror alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.git_mirror import mirror_of
from tests.builders import GIT_EPOCH, GitRepo
from watcher.errors import RangeError

TEN = "".join(f"line {n}\n" for n in range(10))


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "upstream")


def test_a_clean_pick_gives_the_tree_of_a_real_one(repo: GitRepo, tmp_path: Path) -> None:
    pin = repo.commit({"a.py": TEN})
    repo.commit({"a.py": TEN.replace("line 1\n", "one\n")})
    fix = repo.commit({"a.py": TEN.replace("line 1\n", "one\n").replace("line 8\n", "eight\n")})
    mirror = mirror_of(repo, tmp_path / "m")
    before = sorted((tmp_path / "m").rglob("*"))
    result = mirror.try_pick(pin, [fix])
    repo.branch("own", pin).cherry_pick(fix)

    assert result.is_clean
    assert not result.is_empty
    assert result.tree == repo.git("rev-parse", "HEAD^{tree}")
    assert sorted((tmp_path / "m").rglob("*")) == before


def test_a_conflict_names_the_files(repo: GitRepo, tmp_path: Path) -> None:
    pin = repo.commit({"a.py": TEN, "b.py": TEN})
    repo.commit({"a.py": TEN.replace("line 5\n", "five\n")})
    fix = repo.commit({"a.py": TEN.replace("line 5\n", "5\n"), "b.py": TEN + "more\n"})
    result = mirror_of(repo, tmp_path / "m").try_pick(pin, [fix])

    assert not result.is_clean
    assert result.conflicts == ("a.py",)
    assert result.tree is None


def test_the_prerequisite_in_front_makes_it_clean(repo: GitRepo, tmp_path: Path) -> None:
    pin = repo.commit({"a.py": TEN})
    before = repo.commit({"a.py": TEN.replace("line 5\n", "five\n")})
    fix = repo.commit({"a.py": TEN.replace("line 5\n", "5\n")})
    result = mirror_of(repo, tmp_path / "m").try_pick(pin, [before, fix])

    assert result.is_clean
    assert result.tree == repo.git("rev-parse", f"{fix}^{{tree}}")


def test_a_pick_that_changes_nothing_is_empty(repo: GitRepo, tmp_path: Path) -> None:
    first = repo.commit({"a.py": TEN})
    fix = repo.commit({"a.py": TEN + "more\n"})
    pin = repo.branch("release/1.0", first).cherry_pick(fix)
    repo.switch("main")

    assert mirror_of(repo, tmp_path / "m").try_pick(pin, [fix]).is_empty


def test_a_merge_is_picked_against_its_first_parent(repo: GitRepo, tmp_path: Path) -> None:
    pin = repo.commit({"a.py": TEN})
    repo.branch("topic").commit({"b.py": "1\n"})
    repo.commit({"b.py": "2\n"})
    repo.switch("main").commit({"c.py": "other\n"})
    merge = repo.merge("topic", "Merge pull request #1")
    result = mirror_of(repo, tmp_path / "m").try_pick(pin, [merge])
    repo.branch("own", pin).commit({"b.py": "2\n"})

    assert result.tree == repo.git("rev-parse", "HEAD^{tree}")


def test_a_root_can_be_picked(repo: GitRepo, tmp_path: Path) -> None:
    root = repo.commit({"a.py": TEN})
    tip = repo.commit({"b.py": TEN})

    assert mirror_of(repo, tmp_path / "m").try_pick(tip, [root]).is_empty


def test_a_commit_outside_the_range_is_told(repo: GitRepo, tmp_path: Path) -> None:
    shas = [
        repo.commit({"a.py": f"{n}\n"}, date=GIT_EPOCH.replace(year=2020 + n)) for n in range(6)
    ]
    mirror = mirror_of(repo, tmp_path / "m", since=GIT_EPOCH.replace(year=2023))

    with pytest.raises(RangeError, match="edge of the mirrored range"):
        mirror.try_pick(shas[5], [shas[3]])
    with pytest.raises(RangeError, match="is not in the mirror"):
        mirror.try_pick(shas[5], [shas[0]])


def test_the_pick_that_conflicts_is_named(repo: GitRepo, tmp_path: Path) -> None:
    pin = repo.commit({"a.py": TEN, "b.py": TEN})
    good = repo.commit({"b.py": TEN + "more\n"})
    repo.commit({"a.py": TEN.replace("line 5\n", "five\n")})
    bad = repo.commit({"a.py": TEN.replace("line 5\n", "5\n")})

    assert mirror_of(repo, tmp_path / "m").try_pick(pin, [good, bad]).stopped_at == bad


def test_the_patch_of_picks_is_what_they_change_at_the_commit(
    repo: GitRepo, tmp_path: Path
) -> None:
    pin = repo.commit({"a.py": TEN, "b c.py": TEN})
    repo.commit({"a.py": TEN.replace("line 1\n", "one\n")})
    one = TEN.encode().replace(b"line 1\n", b"one\n") + b"\xe9\n"
    fix = repo.commit({"a.py": one, "b c.py": TEN + "more\n"})
    mirror = mirror_of(repo, tmp_path / "m")

    whole = mirror.picked_patch(pin, [fix])
    part = mirror.picked_patch(pin, [fix], paths=["b c.py"])
    assert whole is not None
    repo.branch("own", pin).git(
        "apply", "--index", "-", stdin=whole.encode(errors="surrogateescape")
    )

    assert (repo.path / "a.py").read_bytes() == TEN.encode() + b"\xe9\n"
    assert part is not None
    assert "a.py" not in part


def test_picks_that_conflict_have_no_patch(repo: GitRepo, tmp_path: Path) -> None:
    pin = repo.commit({"a.py": TEN})
    repo.commit({"a.py": TEN.replace("line 5\n", "five\n")})
    fix = repo.commit({"a.py": TEN.replace("line 5\n", "5\n")})

    assert mirror_of(repo, tmp_path / "m").picked_patch(pin, [fix]) is None
