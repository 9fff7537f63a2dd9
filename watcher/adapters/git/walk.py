"""Commits of the mirror: messages, positions and the first release that holds each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from watcher.adapters.git.failures import explain
from watcher.adapters.git.lines import split_records
from watcher.adapters.git.process import Git
from watcher.adapters.git.repository import shallow_commits
from watcher.facts.ref import Tag
from watcher.ports.mirror import RawMessage

LONGEST_MESSAGE: Final = 256 * 1024
_LATEST: Final = 253_402_300_799
_UNKNOWN: Final = re.compile(r"fatal: bad (?:object|revision) \S{1,60}")
"""All that git says of a commit that it does not hold; of a damaged one it says more."""


def revisions(git: Git, base: str | None, tip: str) -> bytes:
    """``base..tip`` for ``--stdin``, without the commits at the shallow boundary.

    A commit at the boundary has no parent here, so its diff would be the whole tree.
    """
    left_out = [base] if base else []
    left_out += sorted(shallow_commits(git.directory))
    return "".join([f"{tip}\n", *(f"^{sha}\n" for sha in left_out)]).encode()


def order(*, first_parent: bool) -> list[str]:
    """Options for the order of a walk: oldest first."""
    return ["--reverse", "--topo-order", *(["--first-parent"] if first_parent else [])]


def read_messages(
    git: Git, base: str | None, tip: str, *, first_parent: bool
) -> Iterator[RawMessage]:
    """Commits of ``base..tip`` oldest first."""
    arguments = ["log", *order(first_parent=first_parent), "-z", "--no-patch"]
    arguments += ["--format=%H%x00%P%x00%ct%x00%B", "--encoding=UTF-8", "--no-notes"]
    arguments += ["--no-show-signature", "--no-mailmap", "--stdin"]
    records = split_records(git.stream(arguments, stdin=revisions(git, base, tip)), LONGEST_MESSAGE)
    for sha, parents, at, message in zip(records, records, records, records, strict=False):
        yield RawMessage(
            sha.decode("ascii"),
            tuple(parents.decode("ascii").split()),
            moment(int(at)),
            message.decode("utf-8", "replace"),
        )


def moment(seconds: int) -> datetime:
    """Aware UTC time of epoch seconds, forced into what a datetime can hold."""
    return datetime.fromtimestamp(min(max(seconds, 0), _LATEST), UTC)


def first_releases(git: Git, tags: Sequence[Tag]) -> dict[str, str]:
    """Commit -> name of the first of the tags, in the order given, that holds it. One walk."""
    if not tags:
        return {}
    tips = "".join(f"{tag.sha}\n" for tag in tags).encode()
    listing = git.read(["rev-list", "--parents", "--stdin"], stdin=tips).decode("ascii")
    parents = {line[:40]: line[41:].split() for line in listing.splitlines()}
    releases: dict[str, str] = {}
    for tag in tags:
        waiting = [tag.sha]
        while waiting:
            sha = waiting.pop()
            if sha not in releases and sha in parents:
                releases[sha] = tag.name
                waiting += parents[sha]
    return releases


def fork_point(git: Git, sha: str, head: str) -> str | None:
    """The newest first-parent commit of ``head`` that ``sha`` holds, or None.

    Raises MirrorError when the history between them cannot be read.
    """
    arguments = ["rev-list", "--first-parent", "--parents", "--end-of-options", head, f"^{sha}"]
    outcome = git.run(arguments)
    if not outcome.is_good:
        if _UNKNOWN.fullmatch(outcome.error.strip()) is not None:
            return None
        raise explain(outcome.error, where=str(git.directory))
    ahead = outcome.output.decode("ascii").splitlines()
    if not ahead:
        return head
    parents = ahead[-1].split()[1:]
    return parents[0] if parents else None
