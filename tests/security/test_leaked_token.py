"""The token reaches the host that it is for, and nothing else: no argument, no file, no error."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.git_http import GitServer, git_server
from tests.builders import GitRepo, git_environment
from watcher.settings.addresses import github_host, may_have_token

SECRET = "ghp_Sesame0pen0123456789abcdefABCDEF0123"
PROOF = base64.b64encode(f"x-access-token:{SECRET}".encode()).decode()
ROOT = Path(__file__).parents[2]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "srv").mkdir()
    repo = GitRepo(tmp_path / "srv" / "engine")
    repo.squash("feat: start", 1, {"a.py": "x = 1\n", "data.txt": os.urandom(20_000).hex()})
    repo.tag("v1.0")
    repo.squash("fix: crash of run", 2, {"a.py": "x = 2\n"})
    with git_server(tmp_path / "srv") as server:
        server.authorization = f"Basic {PROOF}"
        server.settings = {"uploadpack.allowFilter": "true"}
        yield server


def watcher(project: Path, address: str, token: str = SECRET) -> subprocess.Popen[str]:
    """A real sync of a project that pins v1.0 of the repository at an address."""
    project.mkdir(exist_ok=True)
    keys = ('name = "engine"', 'upstream = "acme/engine"', 'ref = "v1.0"', 'api = "off"')
    text = "\n".join(["[[pins]]", *keys, f'git = "{address}"'])
    (project / "watcher.toml").write_text(text)
    return subprocess.Popen(
        [sys.executable, "-c", "from watcher.cli.main import main; main()", "sync"],
        cwd=project,
        env=git_environment() | {"GITHUB_TOKEN": token, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def argument_lists() -> str:
    """The command lines of every process of the machine."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    return b"\n".join(found).decode("utf-8", "replace")


def test_no_command_line_shows_the_token_while_git_fetches(
    server: GitServer, tmp_path: Path
) -> None:
    server.stall_after = 9_000
    process = watcher(tmp_path / "project", f"{server.url}/engine/.git")
    try:
        assert server.stalled.wait(60)
        seen = argument_lists()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    assert f"{server.url}/engine/.git" in seen, "git was at work"
    assert SECRET not in seen
    assert PROOF not in seen


def test_no_file_and_no_output_holds_the_token(server: GitServer, tmp_path: Path) -> None:
    project = tmp_path / "project"

    told = "".join(watcher(project, f"{server.url}/engine/.git").communicate(timeout=120))
    written = b"".join(path.read_bytes() for path in project.rglob("*") if path.is_file())

    assert "2 new changes" in told
    assert (project / "watcher.db").exists()
    for secret in (SECRET, PROOF):
        assert secret not in told
        assert secret.encode() not in written


def test_a_refused_token_is_not_told(server: GitServer, tmp_path: Path) -> None:
    wrong = "ghp_wr0ng" + "x" * 30
    process = watcher(tmp_path / "project", f"{server.url}/engine/.git", wrong)

    told = "".join(process.communicate(timeout=120))

    assert process.returncode == 1
    assert "refused the credentials" in told
    assert "wr0ng" not in told
    assert base64.b64encode(f"x-access-token:{wrong}".encode()).decode()[:40] not in told


@pytest.mark.parametrize(
    ("address", "api", "sent"),
    [
        ("https://github.com/a/b", None, True),
        ("https://www.github.com/a/b", "https://api.github.com", True),
        ("https://git.corp.example/a/b", "https://git.corp.example/api/v3", True),
        ("https://git.corp.example/a/b", "https://api.github.com", False),
        ("https://gitee.com/mirrors/b", None, False),
        ("https://github.com.evil.example/a/b", "https://api.github.com", False),
        ("https://evil.example/github.com", "https://api.github.com", False),
        ("https://[bad", "https://api.github.com", False),
        ("git@github.com:a/b", "https://api.github.com", False),
    ],
)
def test_the_token_goes_only_to_the_host_that_it_is_for(
    address: str, api: str | None, sent: bool
) -> None:
    assert may_have_token(address, api) is sent


def test_gh_is_asked_for_the_token_of_the_host_of_the_api() -> None:
    assert github_host("https://api.github.com") == "github.com"
    assert github_host("https://git.corp.example/api/v3") == "git.corp.example"
    assert github_host("https://notgithub.com") == "notgithub.com"
