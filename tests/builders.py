"""Builders of test material: real git repositories with fixed names, dates and configuration."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Self

from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts, Role, TouchedFile
from watcher.facts.issue import Issue
from watcher.facts.kind import Kind
from watcher.facts.message import Message
from watcher.history.lookup import LinkInput
from watcher.history.message import parse_message
from watcher.ports.mirror import RawMessage
from watcher.ports.walk import Walk
from watcher.upstreams import profile as profile_module
from watcher.upstreams.load import parse_profile
from watcher.upstreams.profile import Profile

GIT_EPOCH = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
"""Commit time of a repository's first commit; each later one is an hour younger unless told."""


def git_environment() -> dict[str, str]:
    """An environment in which git knows nothing of the machine and always the same author."""
    person = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "Ada Tester"), ("EMAIL", "ada@example.org"))
    }
    return {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        **person,
    }


@cache
def _git_template() -> Path:
    """An empty repository on branch main, made once in a run and copied for each ``GitRepo``."""
    import atexit
    import tempfile

    home = Path(tempfile.mkdtemp(prefix="watcher-git-template-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    command = ["git", "init", "-q", "-b", "main", "--template=", str(home / "repo")]
    subprocess.run(command, check=True, env=git_environment())
    with (home / "repo" / ".git" / "config").open("a") as config:
        config.write("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
    return home / "repo"


class GitRepo:
    """A small upstream: a work tree with a real git repository, same shas on every machine.

    ``path`` is the work tree; ``url`` its ``file://`` address. Methods that make a commit return
    its full sha. Times move on by an hour with every commit; ``date`` sets another.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"file://{path}"
        self._now = GIT_EPOCH - timedelta(hours=1)
        shutil.copytree(_git_template(), path)

    def copy(self, path: Path) -> GitRepo:
        """The same repository at another place, free to go its own way."""
        twin = object.__new__(GitRepo)
        shutil.copytree(self.path, path, symlinks=True)
        twin.path, twin.url, twin._now = path, f"file://{path}", self._now
        return twin

    def git(self, *arguments: str, stdin: bytes | None = None, date: datetime | None = None) -> str:
        """Standard output of a git command in this repository, without the last newline."""
        environment = git_environment()
        if date is not None:
            stamp = f"{int(date.timestamp())} +0000"
            environment |= {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            env=environment,
            check=False,
        )
        if done.returncode:
            raise AssertionError(
                f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}"
            )
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def _tick(self, date: datetime | None) -> datetime:
        self._now = date if date is not None else self._now + timedelta(hours=1)
        return self._now

    def write(self, files: dict[str, str | bytes | None]) -> Self:
        """Write files of the work tree; None removes one. Nothing is committed."""
        for name, content in files.items():
            target = self.path / name
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def commit(
        self,
        files: dict[str, str | bytes | None] | None = None,
        message: str | bytes = "change",
        date: datetime | None = None,
    ) -> str:
        """Write files (None removes one) and commit all that changed, be it nothing."""
        self.write(files or {})
        self.git("add", "-A")
        return self._commit(message, date)

    def squash(
        self,
        title: str,
        number: int,
        files: dict[str, str | bytes | None],
        body: str = "",
        date: datetime | None = None,
    ) -> str:
        """A squash-merged pull request: subject ``title (#number)``, its description as body."""
        return self.commit(files, f"{title} (#{number})\n\n{body}".strip(), date)

    def revert(self, sha: str, message: str | None = None, date: datetime | None = None) -> str:
        """Take a commit back; git's own message unless one is given."""
        self.git("revert", "--no-commit", sha)
        if message is None:
            subject = self.git("show", "-s", "--format=%s", sha)
            message = f'Revert "{subject}"\n\nThis reverts commit {sha}.'
        made = self._commit(message, date)
        (self.path / ".git" / "REVERT_HEAD").unlink(missing_ok=True)
        return made

    def cherry_pick(
        self,
        sha: str,
        message: str | None = None,
        date: datetime | None = None,
        *,
        trailer: bool = False,
    ) -> str:
        """Copy a commit onto the current branch, with git's ``-x`` trailer when asked for."""
        self.git("cherry-pick", "--no-commit", sha)
        if message is None:
            message = self.git("show", "-s", "--format=%B", sha)
        if trailer:
            message += f"\n\n(cherry picked from commit {sha})"
        return self._commit(message, date)

    def merge(self, branch: str, message: str, date: datetime | None = None) -> str:
        """Merge a branch with a merge commit."""
        self.git("merge", "-q", "--no-ff", "--no-commit", branch)
        return self._commit(message, date)

    def branch(self, name: str, at: str = "HEAD") -> Self:
        """Make (or move) a branch and switch to it."""
        self.git("checkout", "-q", "-B", name, at)
        return self

    def switch(self, name: str) -> Self:
        """Switch to a branch."""
        self.git("checkout", "-q", name)
        return self

    def tag(self, name: str, at: str = "HEAD", *, annotated: bool = False) -> str:
        """Make or move a tag; the commit's sha."""
        extra = ("-a", "-m", name) if annotated else ()
        self.git("tag", "-f", *extra, name, at, date=self._now)
        return self.sha(at)

    def sha(self, ref: str = "HEAD") -> str:
        """Full sha of a commit."""
        return self.git("rev-parse", "--verify", f"{ref}^{{commit}}")

    def _commit(self, message: str | bytes, date: datetime | None) -> str:
        text = message.encode() if isinstance(message, str) else message
        arguments = ("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-")
        self.git(*arguments, stdin=text, date=self._tick(date))
        return self._head()

    def _head(self) -> str:
        """Sha of HEAD, read from the files where they tell it: no process."""
        head = (self.path / ".git" / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return head
        loose = self.path / ".git" / head.removeprefix("ref: ")
        return loose.read_text().strip() if loose.exists() else self.sha()


def make_change(
    number: int,
    *,
    upstream: str = "acme/engine",
    position: int | None = -2,
    title: str = "",
    body: str = "",
    kind: Kind = Kind.FIX,
    paths: Sequence[str] = ("engine/core.py",),
    **diff: Any,
) -> Change:
    """A landed change numbered ``number``; its sha, time and (unless told) position follow from it.

    Further keywords are fields of its ``DiffFacts``.
    """
    title = title or f"Mend number {number}"
    message = Message(
        sha=f"{number:040x}",
        committed_at=GIT_EPOCH + timedelta(hours=number),
        subject=f"{title} (#{number})",
        title=title,
        number=number,
        body=body,
        raw_body=body,
        kind=kind,
    )
    files = tuple(TouchedFile(path=path, role=Role.SOURCE) for path in paths)
    return Change(
        upstream=upstream,
        branch="main",
        position=number if position == -2 else position,
        message=message,
        diff=DiffFacts(files=files, **diff),
    )


def make_walk(head: int = 1, *, upstream: str = "acme/engine", **fields: Any) -> Walk:
    """A completed walk up to the change numbered ``head``."""
    time = GIT_EPOCH + timedelta(hours=head)
    return Walk(
        upstream=upstream,
        branch="main",
        base=None,
        head=f"{head:040x}",
        head_at=time,
        synced_at=time + timedelta(minutes=5),
        lineage_key=None,
        **fields,
    )


def make_issue(number: int, *, upstream: str = "acme/engine", **fields: Any) -> Issue:
    """An open bug report; opened and last active at a time that follows from its number."""
    time = GIT_EPOCH + timedelta(hours=number)
    given: dict[str, Any] = {
        "title": f"Engine fails, case {number}",
        "body": "It fails.",
        "opened_at": time,
        "updated_at": time,
    }
    return Issue(upstream=upstream, number=number, **(given | fields))


@cache
def shipped_profile(name: str) -> Profile:
    """A profile of the package by its file's name."""
    return parse_profile(shipped_text(f"{name}.toml"), common=shipped_text("common.toml"))


@cache
def shipped_text(name: str) -> str:
    """Text of a profile file of the package."""
    return (Path(profile_module.__file__).parent / name).read_text(encoding="utf-8")


def raw_commit(text: str, *, at: int = 0, parents: tuple[str, ...] = ()) -> RawMessage:
    """A commit with a message, landed ``at`` days after the epoch; its sha follows from both."""
    sha = hashlib.sha1(f"{at} {text}".encode("utf-8", "replace")).hexdigest()
    return RawMessage(sha, parents, GIT_EPOCH + timedelta(days=at), text)


def make_row(
    text: str,
    *,
    at: int,
    branch: str = "main",
    profile: str = "verl",
    functions: Sequence[str] = (),
) -> LinkInput:
    """A landed change for linking: its message, day and line (position = day on ``main``)."""
    raw = raw_commit(text, at=at)
    message = parse_message(raw, shipped_profile(profile), frozenset())
    return LinkInput(
        sha=raw.sha,
        branch=branch,
        position=at if branch == "main" else None,
        message=message,
        closes=message.closes,
        functions=frozenset(functions),
    )


def paste(command: str, repo: GitRepo) -> None:
    """Run a command in a work tree as if pasted into a shell."""
    subprocess.run(
        command,
        shell=True,
        cwd=repo.path,
        env=git_environment(),
        check=True,
        capture_output=True,
    )
