"""The mirror over HTTP and against servers and remotes that fail."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.adapters.git_http import GitServer, git_server
from tests.adapters.git_mirror import Heard, make_mirror, mirror_of, request
from tests.builders import GIT_EPOCH, GitRepo
from watcher.errors import MirrorError

ROOT = Path(__file__).parents[2]
KILLED = """
import os, sys
from pathlib import Path
from tests.adapters.git_mirror import Heard, make_mirror, request
make_mirror(Path(sys.argv[1])).update(request(sys.argv[2]), Heard())
"""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """Six commits, one a year."""
    (tmp_path / "srv").mkdir()
    repo = GitRepo(tmp_path / "srv" / "engine")
    for number in range(6):
        content = os.urandom(20_000).hex()
        date = GIT_EPOCH.replace(year=2020 + number)
        repo.squash(
            "feat: step", number, {"a.py": f"x = {number}\n", "data.txt": content}, date=date
        )
    repo.tag("v1.0", "main~1")
    return repo


@pytest.fixture
def server(tmp_path: Path, repo: GitRepo) -> Iterator[GitServer]:
    with git_server(tmp_path / "srv") as server:
        yield server


def modern(server: GitServer) -> str:
    server.settings = {"uploadpack.allowFilter": "true"}
    return f"{server.url}/engine/.git"


def test_a_modern_server_gives_a_shallow_mirror(
    server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    mirror = make_mirror(tmp_path / "m")
    state = mirror.update(request(modern(server), "v1.0"), Heard())

    assert state.base == repo.sha("v1.0")
    assert [message.sha for message in mirror.messages(state.base, state.head)] == [repo.sha()]


def test_a_server_without_filters_is_read_in_full(
    server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    mirror = make_mirror(tmp_path / "m")
    state = mirror.update(request(f"{server.url}/engine/.git", "v1.0"), Heard())
    later = repo.squash("fix: more", 9, {"b.py": "1\n"})
    again = mirror.update(request(f"{server.url}/engine/.git", "v1.0"), Heard())

    assert state.base is None
    assert [tag.name for tag in state.tags] == ["v1.0"]
    assert again.head == later


def test_a_plain_web_server_is_read_in_full(
    server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    server.is_dumb = True
    repo.git("repack", "-a", "-d", "-q")
    repo.git("update-server-info")
    mirror = make_mirror(tmp_path / "m")
    state = mirror.update(request(f"{server.url}/engine/.git", "v1.0"), Heard())

    assert state.base is None
    assert mirror.resolve("v1.0") == repo.sha("v1.0")


def test_a_renamed_repository_is_followed_and_told(
    server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    server.moved["old"] = "engine"
    modern(server)
    state = make_mirror(tmp_path / "m").update(request(f"{server.url}/old/.git"), Heard())

    assert state.head == repo.sha()
    assert state.notes == (f"{server.url}/old/.git has moved to {server.url}/engine/.git",)


def test_the_token_is_sent_as_a_header_and_never_shown(
    server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    proof = base64.b64encode(b"x-access-token:s3cret").decode()
    server.authorization = f"Basic {proof}"
    mirror = make_mirror(tmp_path / "m")
    state = mirror.update(request(modern(server), "v1.0", token="s3cret"), Heard())
    written = b"".join(p.read_bytes() for p in (tmp_path / "m").rglob("*") if p.is_file())

    assert state.head == repo.sha()
    assert b"s3cret" not in written
    assert proof.encode() not in written
    with pytest.raises(MirrorError, match=r"refused the credentials.*GITHUB_TOKEN") as error:
        make_mirror(tmp_path / "n").update(request(modern(server), token="wr0ng"), Heard())
    assert "wr0ng" not in str(error.value)


def test_an_unknown_repository_and_a_silent_host_are_told(
    server: GitServer, tmp_path: Path
) -> None:
    mirror = make_mirror(tmp_path / "m")
    with pytest.raises(MirrorError, match="there is no such repository"):
        mirror.update(request(f"{server.url}/nowhere/.git"), Heard())
    with pytest.raises(MirrorError, match="the remote cannot be reached"):
        mirror.update(request("http://127.0.0.1:1/x"), Heard())


def test_a_killed_fetch_leaves_a_mirror_that_the_next_one_completes(
    server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    url = modern(server)
    server.stall_after = 9_000
    command = [sys.executable, "-c", KILLED, str(tmp_path / "m"), url]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        assert server.stalled.wait(30)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    server.stall_after = None
    server.released.set()
    mirror = make_mirror(tmp_path / "m")
    assert mirror.state() is None
    state = mirror.update(request(url, "v1.0"), Heard())

    assert state.head == repo.sha()
    assert mirror.check() is None


@pytest.mark.parametrize("way", ["file", "http"])
def test_an_object_that_the_remote_lacks_costs_one_file_of_one_change(
    way: str, server: GitServer, repo: GitRepo, tmp_path: Path
) -> None:
    base = repo.sha()
    broken = repo.squash("doc: picture", 7, {"large.txt": "lost\n", "a.py": "x = 7\n"})
    oid = repo.git("rev-parse", f"{broken}:large.txt")
    mended = repo.squash("doc: new picture", 8, {"large.txt": "new\n", "b.py": "y\n"})
    last = repo.squash("fix: last", 9, {"large.txt": "newer\n"})
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    mirror = make_mirror(tmp_path / "m")
    mirror.update(request(repo.url if way == "file" else modern(server), base), Heard())
    lines = [
        line
        for line in chain.from_iterable(mirror.patches(base, last))
        if not line.startswith(b"index ")
    ]

    lost = b"\x02large.txt\x00missing on the remote"
    start = [lines.index(b"\x01" + sha.encode()) for sha in (broken, mended, last)]
    first, second, third = lines[start[0] : start[1]], lines[start[1] : start[2]], lines[start[2] :]
    assert first[1] == second[1] == lost
    assert b"+x = 7" in first
    assert b"+y" in second
    assert b"+newer" in third
    assert lost not in third
    state = mirror.state()
    assert state is not None
    assert state.notes == (
        "1 objects are missing on the remote: the diffs of those files are left out",
    )
    assert mirror.read(broken, "large.txt") is None
    assert set(mirror.patch_ids([broken, mended, last])) == {last}
    assert [message.sha for message in mirror.messages(None, last)] == [broken, mended, last]
    assert mirror.check() is None


def test_a_mirror_with_lost_objects_goes_on(repo: GitRepo, tmp_path: Path) -> None:
    base = repo.sha()
    broken = repo.squash("doc: picture", 7, {"large.txt": "lost\n"})
    oid = repo.git("rev-parse", f"{broken}:large.txt")
    repo.squash("doc: new picture", 8, {"large.txt": "new\n"})
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    mirror = mirror_of(repo, tmp_path / "m", base)
    last = repo.squash("fix: last", 9, {"a.py": "x = 9\n"})
    state = mirror.update(request(repo.url, base), Heard())

    assert state.head == last
    assert (
        len(
            [
                line
                for line in chain.from_iterable(mirror.patches(base, last))
                if line[:1] == b"\x01"
            ]
        )
        == 3
    )
    assert (
        len(
            [
                line
                for line in chain.from_iterable(mirror.patches(base, last))
                if line[:1] == b"\x02"
            ]
        )
        == 2
    )
