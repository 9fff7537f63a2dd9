"""One ``git fetch`` with progress, and the surveys and fall-backs around it."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.adapters.git.failures import LOST_OBJECT, NO_FILTER, NO_SHALLOW, NOT_OURS
from watcher.adapters.git.process import Git, Outcome
from watcher.adapters.git.remote import Remote
from watcher.ports.progress import Progress

_PROGRESS: Final = re.compile(
    r"^(?:remote: )?(?P<task>[A-Z][a-z]+ [a-z]+): +\d+% \((?P<done>\d+)/(?P<total>\d+)\)"
    r"(?:, (?P<size>[\d.]+) (?P<scale>bytes|KiB|MiB|GiB)(?P<rate> \| [\d.]+ \S+/s)?)?"
)
_SCALES: Final = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_COMMITTER: Final = re.compile(rb"^committer .*> (-?\d{1,12}) [+-]\d{4}$", re.MULTILINE)


class Ending(StrEnum):
    """How a fetch ended."""

    DONE = "done"
    NO_FILTER = "no-filter"
    """The server ignores filters: stopped before it sent everything."""
    NO_SHALLOW = "no-shallow"
    NOT_OURS = "not-ours"
    """The server does not have, or does not give, one of the commits."""
    LOST_OBJECT = "lost-object"
    """The server itself lacks an object that it was to send."""
    FAILED = "failed"


class Fetched(Struct, frozen=True):
    """The end of one fetch."""

    ending: Ending
    error: str = ""
    object: str = ""
    """The commit or object that the ending is about, when the server named it."""
    size: int = 0
    """Bytes received, as git told them."""


class Fetcher:
    """Fetches from one remote into one repository."""

    def __init__(self, git: Git, remote: Remote, progress: Progress) -> None:
        self._git = remote.reached_by(git)
        self._remote = remote
        self._progress = progress

    def fetch(self, refspecs: Iterable[str], *options: str, compress: bool = True) -> Fetched:
        """Fetch refspecs (read from standard input, so there may be any number)."""
        seen = _Listener(self._progress)
        arguments = [
            "fetch",
            *("--progress", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"),
            *("--no-auto-maintenance", "--force", "--stdin"),
            *options,
            *self._remote.transport(compress=compress),
            "--",
            self._remote.address,
        ]
        text = "".join(f"{spec}\n" for spec in refspecs)
        outcome = self._git.talk(arguments, seen.hear, stdin=text.encode())
        ending, name = _ending(outcome)
        return Fetched(ending, outcome.error, name, seen.size)


@contextmanager
def in_scratch(git: Git, remote: Remote, progress: Progress) -> Iterator[tuple[Git, Fetcher]]:
    """A throw-away repository inside the mirror's directory, and a fetcher into it."""
    home = tempfile.mkdtemp(prefix="survey-", dir=git.directory)
    try:
        scratch = replace(git, directory=Path(home))
        make_repository(scratch)
        yield scratch, Fetcher(scratch, remote, progress)
    finally:
        shutil.rmtree(home, ignore_errors=True)


class _Listener:
    """Hears git's progress lines: tells them on, remembers the size, stops a useless fetch."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.size = 0

    def hear(self, line: str) -> bool:
        """False when the fetch should be stopped."""
        if NO_FILTER.search(line):
            return False
        match = _PROGRESS.match(line)
        if match is None:
            return True
        unit = "objects"
        if match["size"]:
            self.size = int(float(match["size"]) * _SCALES[match["scale"]])
            rate = (match["rate"] or "").removeprefix(" | ")
            unit = ", ".join(filter(None, (f"{match['size']} {match['scale']}", rate)))
        self._progress.step(match["task"], int(match["done"]), int(match["total"]), unit=unit)
        return True


def _ending(outcome: Outcome) -> tuple[Ending, str]:
    if outcome.is_good:
        return Ending.DONE, ""
    if outcome.status == -1 and NO_FILTER.search(outcome.error):
        return Ending.NO_FILTER, ""
    refused = NOT_OURS.search(outcome.error)
    if refused is not None:
        return Ending.NOT_OURS, next(filter(None, refused.groups()))
    lost = LOST_OBJECT.search(outcome.error)
    if lost is not None:
        return Ending.LOST_OBJECT, lost[1]
    if NO_SHALLOW.search(outcome.error):
        return Ending.NO_SHALLOW, ""
    return Ending.FAILED, ""


def make_repository(git: Git) -> None:
    """An empty bare repository: three files, so that no template and no process is needed."""
    directory = git.directory
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    write_configuration(directory)
    head = directory / "HEAD"
    if not head.exists():
        head.write_text("ref: refs/heads/main\n", encoding="utf-8")


def write_configuration(directory: Path) -> None:
    """The repository's own configuration as it must be: nothing that makes git fetch by itself.

    A fetch with a filter leaves its remote behind as a "promisor" from which later commands
    would fetch what is missing; reading the mirror must never do so.
    """
    text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
    config = directory / "config"
    if not config.exists() or config.read_text(encoding="utf-8", errors="replace") != text:
        config.write_text(text, encoding="utf-8")


def commit_dates(git: Git, shas: Sequence[str]) -> dict[str, int]:
    """Commit time (epoch seconds) of those commits that the repository has."""
    wanted = list(dict.fromkeys(shas))
    if not wanted:
        return {}
    output = git.read(["cat-file", "--batch"], stdin="".join(f"{s}\n" for s in wanted).encode())
    dates: dict[str, int] = {}
    at = 0
    for sha in wanted:
        end = output.index(b"\n", at)
        words = output[at:end].split()
        at = end + 1
        if len(words) != 3 or words[1] not in {b"commit", b"tag", b"tree", b"blob"}:
            continue
        body = output[at : at + int(words[2])]
        at += int(words[2]) + 1
        match = _COMMITTER.search(body) if words[1] == b"commit" else None
        if match is not None:
            dates[sha] = int(match[1])
    return dates
