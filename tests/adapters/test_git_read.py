"""Reading the mirror: walks, diffs, files, names."""

from __future__ import annotations

import tracemalloc
from itertools import chain, pairwise
from pathlib import Path

import pytest

from tests.adapters.git_mirror import make_mirror, mirror_of
from tests.builders import GIT_EPOCH, GitRepo
from watcher.adapters.git import GitMirror
from watcher.adapters.git.lines import split_lines, split_records
from watcher.errors import MirrorError, RangeError
from watcher.facts.ref import RefKind, RefMatch, Tag

CODE = """\
class Engine:
    def load(self):
        one = 1
        two = 2
        return one


async def run():
    pass
"""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "upstream")


def by_commit(mirror: GitMirror, base: str | None, tip: str, **options) -> dict[str, list[bytes]]:
    """Lines of ``patches`` by commit."""
    commits: dict[str, list[bytes]] = {}
    sha = ""
    for line in chain.from_iterable(mirror.patches(base, tip, **options)):
        if line.startswith(b"\x01"):
            sha = line[1:].decode()
            assert sha not in commits
            commits[sha] = []
        elif line:
            commits[sha].append(line)
    return commits


def test_patches_come_oldest_first_with_a_line_for_every_commit(
    repo: GitRepo, tmp_path: Path
) -> None:
    first = repo.commit({"a.py": "x = 1\n"}, "one")
    empty = repo.commit({}, "nothing")
    last = repo.commit({"a.py": "x = 2\n"}, "two")
    commits = by_commit(mirror_of(repo, tmp_path / "m"), None, last)

    assert list(commits) == [first, empty, last]
    assert commits[empty] == []
    assert commits[last][-3:] == [b"@@ -1 +1 @@", b"-x = 1", b"+x = 2"]


def test_hunk_headers_name_the_enclosing_function_with_its_indentation(
    repo: GitRepo, tmp_path: Path
) -> None:
    base = repo.commit({"a.py": CODE}, "one")
    tip = repo.commit({"a.py": CODE.replace("two = 2", "two = 3")}, "two")
    commits = by_commit(mirror_of(repo, tmp_path / "m"), base, tip)

    assert b"@@ -4 +4 @@     def load(self):" in commits[tip]


def test_renames_deletions_and_silent_documents_are_told_without_lines(
    repo: GitRepo, tmp_path: Path
) -> None:
    base = repo.commit({"a.py": CODE, "b.bin": b"\0\1", "n.ipynb": "{}\n", "gone.py": "x\n"})
    repo.git("mv", "a.py", "moved.py")
    tip = repo.commit({"b.bin": b"\0\2", "n.ipynb": "{1}\n", "gone.py": None})
    lines = by_commit(mirror_of(repo, tmp_path / "m"), base, tip)[tip]

    assert b"rename from a.py" in lines
    assert b"rename to moved.py" in lines
    assert b"deleted file mode 100644" in lines
    assert b"Binary files a/b.bin and b/b.bin differ" in lines
    assert b"Binary files a/n.ipynb and b/n.ipynb differ" in lines


def test_paths_narrow_the_diffs_but_not_the_names(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit({"torch/dist/a.py": CODE, "torch/nn/b.py": "y = 1\n", "c.py": "z = 1\n"})
    changed = CODE.replace("two = 2", "two = 3")
    tip = repo.commit({"torch/dist/a.py": changed, "torch/nn/b.py": "y = 2\n", "c.py": "z = 2\n"})
    mirror = mirror_of(repo, tmp_path / "m")
    lines = by_commit(mirror, base, tip, paths=["torch/dist/", "c.py"])[tip]

    assert b"@@ -4 +4 @@     def load(self):" in lines
    assert b"+z = 2" in lines
    assert b"Binary files a/torch/nn/b.py and b/torch/nn/b.py differ" in lines
    assert b"+y = 2" not in lines


def test_a_merge_is_compared_with_its_first_parent(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit({"a.py": "x = 1\n"})
    repo.branch("topic").commit({"b.py": "new\n"})
    repo.switch("main").commit({"a.py": "x = 2\n"})
    merge = repo.merge("topic", "Merge pull request #3")
    mirror = mirror_of(repo, tmp_path / "m")

    first_parent = by_commit(mirror, base, merge)
    assert b"+new" in first_parent[merge]
    assert len(first_parent) == 2
    assert len(by_commit(mirror, base, merge, first_parent=False)) == 3
    assert list(mirror.commits_between(base, merge)) == [
        sha
        for sha in (m.sha for m in mirror.messages(base, merge, first_parent=False))
        if sha != merge
    ]


def test_the_commit_at_the_edge_of_the_history_is_never_walked(
    repo: GitRepo, tmp_path: Path
) -> None:
    shas = [
        repo.commit({"a.py": f"x = {n}\n"}, date=GIT_EPOCH.replace(year=2020 + n)) for n in range(6)
    ]
    mirror = mirror_of(repo, tmp_path / "m", since=GIT_EPOCH.replace(year=2023))
    state = mirror.state()
    assert state is not None

    assert state.base == shas[3]
    assert list(by_commit(mirror, None, shas[-1])) == shas[4:]
    assert [message.sha for message in mirror.messages(None, shas[-1])] == shas[4:]
    with pytest.raises(RangeError, match="edge of the mirrored range"):
        mirror.patch_of(shas[3])


def test_bytes_that_are_no_text_survive(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit({"a.py": "x\n"})
    path = b"caf\xe9 \x01.py".decode("utf-8", "surrogateescape")
    tip = repo.commit({path: b"caf\xe9 = 1\n"}, b"r\xe9sum\xe9\n\n\x1b[31mbody")
    mirror = mirror_of(repo, tmp_path / "m")

    (message,) = mirror.messages(base, tip)
    assert message.message == "résumé\n\n\x1b[31mbody"
    lines = by_commit(mirror, base, tip)[tip]
    assert b"+caf\xe9 = 1" in lines
    assert b'+++ "b/caf\xe9 \\001.py"\t' in lines
    assert mirror.read(tip, path) == b"caf\xe9 = 1\n"
    assert path in mirror.files(tip)


def test_a_diff_of_twenty_megabytes_streams(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit({"a.py": "x\n"})
    part = "".join(f"line {n:06} = {'y' * 990}\n" for n in range(3_000))
    tip = repo.commit({f"big{n}.txt": part for n in range(7)} | {"one.js": "z" * 1_000_000})
    mirror = mirror_of(repo, tmp_path / "m")
    tracemalloc.start()
    size = longest = 0
    for line in chain.from_iterable(mirror.patches(base, tip)):
        size += len(line)
        longest = max(longest, len(line))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert size > 20_000_000
    assert longest == 64 * 1024
    assert peak < 6_000_000


def test_a_reader_that_stops_early_leaves_nothing_running(repo: GitRepo, tmp_path: Path) -> None:
    tip = repo.commit({"a.py": "".join(f"{n} {'x' * 90}\n" for n in range(9_000))})
    batches = mirror_of(repo, tmp_path / "m").patches(None, tip)
    assert next(iter(batches))[0].startswith(b"\x01")
    batches.close()


def test_messages_carry_parents_time_and_the_whole_text(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit({"a.py": "1\n"})
    tip = repo.squash("[x] fix: y", 7, {"a.py": "2\n"}, "Fixes #5\n\n- [x] box")
    (message,) = mirror_of(repo, tmp_path / "m").messages(base, tip)

    assert (message.sha, message.parents) == (tip, (base,))
    assert message.committed_at == GIT_EPOCH.replace(hour=13)
    assert message.message == "[x] fix: y (#7)\n\nFixes #5\n\n- [x] box"


def test_the_first_release_of_every_commit_is_found_in_one_walk(
    repo: GitRepo, tmp_path: Path
) -> None:
    one = repo.commit({"a.py": "1\n"})
    repo.branch("release/1.0")
    off = repo.commit({"version": "1.0\n"})
    repo.tag("v1.0")
    repo.switch("main")
    two = repo.commit({"a.py": "2\n"})
    repo.tag("v1.1")
    three = repo.commit({"a.py": "3\n"})
    mirror = mirror_of(repo, tmp_path / "m")
    tags = [Tag("v1.0", off, GIT_EPOCH), Tag("v1.1", two, GIT_EPOCH)]

    assert mirror.first_releases(tags) == {one: "v1.0", off: "v1.0", two: "v1.1"}
    assert three not in mirror.first_releases(tags[::-1])
    assert mirror.first_releases([]) == {}


def test_a_backport_has_the_patch_id_of_its_original(repo: GitRepo, tmp_path: Path) -> None:
    first = repo.commit({"a.py": CODE})
    repo.commit({"b.py": "other\n"})
    original = repo.commit({"a.py": CODE.replace("two = 2", "two = 3")})
    repo.branch("release/1.0", first)
    copy = repo.cherry_pick(original)
    repo.switch("main")
    merge = repo.merge("release/1.0", "Merge")
    mirror = mirror_of(repo, tmp_path / "m")
    ids = mirror.patch_ids([original, copy, merge])

    assert set(ids) == {original, copy}
    assert ids[original] == ids[copy]
    assert mirror.patch_id_of_text(mirror.patch_of(original)) == ids[copy]
    assert mirror.patch_id_of_text("no diff at all") is None


def test_a_shown_patch_applies(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.commit({"a.py": CODE, "b.bin": b"\0\1\n"})
    tip = repo.commit({"a.py": CODE.replace("two = 2", "two = 3"), "b.bin": b"\0\2\n"})
    patch = mirror_of(repo, tmp_path / "m").patch_of(tip)
    repo.git("checkout", "-q", base)
    repo.git("apply", "--index", "-", stdin=patch.encode())

    assert repo.git("write-tree") == repo.git("rev-parse", f"{tip}^{{tree}}")


def test_files_are_read_at_any_commit(repo: GitRepo, tmp_path: Path) -> None:
    old = repo.commit({"pkg/a.py": "1\n", "pkg/sub/b.py": "2\n", "c.py": "3\n"})
    (repo.path / "link").symlink_to("c.py")
    new = repo.commit({"pkg/a.py": None, "large.txt": "x" * 17_000_000})
    mirror = mirror_of(repo, tmp_path / "m")

    assert list(mirror.files(old)) == ["c.py", "pkg/a.py", "pkg/sub/b.py"]
    assert list(mirror.files(old, under="pkg/sub")) == ["pkg/sub/b.py"]
    assert dict(mirror.blobs(old, ["pkg/a.py", "nope"])) == {"pkg/a.py": b"1\n"}
    assert set(dict(mirror.blobs(new))) == {"c.py", "pkg/sub/b.py"}
    assert mirror.read(new, "pkg/a.py") is None
    assert mirror.read(old, "pkg") is None


def test_names_are_looked_up_as_tags_branches_and_commits(repo: GitRepo, tmp_path: Path) -> None:
    sha = repo.commit({"a.py": "1\n"})
    repo.tag("v1.0", annotated=True)
    other = repo.commit({"a.py": "2\n"})
    repo.branch("release/1.0").switch("main")
    mirror = mirror_of(repo, tmp_path / "m")

    assert mirror.look_up("v1.0") == (RefMatch(sha, RefKind.TAG),)
    assert mirror.look_up("release/1.0") == (RefMatch(other, RefKind.BRANCH),)
    assert mirror.look_up(sha[:8]) == (RefMatch(sha, RefKind.SHA),)
    assert mirror.resolve(sha) == mirror.resolve("refs/tags/v1.0") == sha
    assert mirror.resolve("HEAD") == mirror.resolve("main") == other
    assert mirror.committed_at(sha) == GIT_EPOCH
    assert mirror.is_ancestor(sha, other)
    assert not mirror.is_ancestor(other, sha)


def test_a_name_that_is_none_resolves_to_nothing(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1\n"})
    mirror = mirror_of(repo, tmp_path / "m")
    bad = ["", "-x", "--all", "main..v1", "a b", "@{-1}", "main^", "x\ny", "f" * 40, "v" * 300]

    assert {mirror.resolve(ref) for ref in bad} == {None}


def test_an_ambiguous_abbreviation_gives_all_and_resolves_to_none(
    repo: GitRepo, tmp_path: Path
) -> None:
    shas = sorted(repo.commit({"a.py": f"{n}\n"}) for n in range(17))
    shared = next(
        one[:length]
        for length in (4, 3, 2, 1)
        for one, other in pairwise(shas)
        if one[:length] == other[:length]
    )
    mirror = mirror_of(repo, tmp_path / "m")
    assert mirror.resolve(shared) is None
    assert len(mirror.look_up(shared)) == (0 if len(shared) < 4 else 2)


def test_reading_before_the_first_update_is_told(tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path / "m")
    assert mirror.state() is None
    assert mirror.resolve("main") is None
    assert mirror.committed_at("a" * 40) is None
    with pytest.raises(MirrorError, match="no mirror yet"):
        mirror.messages(None, "a" * 40)


def test_a_commit_that_is_not_held_is_told_as_such(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1\n"})
    mirror = mirror_of(repo, tmp_path / "m")
    unknown = "a" * 40

    for read in (mirror.patch_of, mirror.files, lambda sha: list(mirror.patches(None, sha))):
        with pytest.raises(RangeError, match="aaaaaaaaa is not in the mirror"):
            read(unknown)
    assert mirror.patch_ids([unknown]) == {}
    assert mirror.merge_base(unknown, unknown) is None


def test_only_full_names_are_taken_for_commits(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1\n"})
    mirror = mirror_of(repo, tmp_path / "m")
    with pytest.raises(RangeError, match="not a full commit name"):
        mirror.patches(None, "--output=/tmp/x")


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_lines_and_records_do_not_depend_on_the_chunks(size: int) -> None:
    text = b"one\n\ntwo longer\nthree"
    chunks = [text[start : start + size] for start in range(0, len(text), size)]

    assert list(split_lines(chunks, limit=5)) == [b"one", b"", b"two l", b"three"]
    records = [chunk.replace(b"\n", b"\0") for chunk in chunks]
    assert list(split_records(records, 5)) == [b"one", b"", b"two l", b"three"]
