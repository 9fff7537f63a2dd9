"""One pass over an upstream's new commits: messages and diffs -> what is kept of each.

The diff of a commit is read once: laid over the line table here, its facts read wherever
``followed.mapped`` does that. Only the mirror is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from watcher.history.body import boilerplate
from watcher.history.diff import CommitDiff, parse_log
from watcher.history.diff_facts import diff_text
from watcher.history.message import split_message
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.read_change import RawChange
from watcher.ports.mirror import RawMessage
from watcher.ports.progress import Progress
from watcher.presence.lineage import Lineage

_TELL_EVERY = 50


class HistoryReader(Struct):
    """Reads ``start..head`` of the tracked branch and the commits of release branches."""

    followed: FollowedUpstream
    branch: str
    lineage: Lineage
    next_position: int
    boilerplate: frozenset[str]
    progress: Progress
    messages: dict[str, RawMessage] = field(default_factory=dict)

    def read_messages(self, start: str | None, head: str) -> None:
        """Read the messages of the line; without known boilerplate, learn it from them."""
        self.messages = {raw.sha: raw for raw in self.followed.mirror.messages(start, head)}
        if not self.boilerplate:
            self.boilerplate = boilerplate(_body(raw) for raw in self.messages.values())

    def seed(self, base: str | None) -> None:
        """Begin the line table with the files of a base."""
        if base is not None:
            self.progress.step(f"reading {self.followed.upstream} at its base", 0, None)
            self.lineage.seed(self.followed.mirror.blobs(base))

    def line(self, start: str | None, head: str) -> Iterator[RawChange]:
        """Commits of the tracked branch, oldest first, each with its position; their messages are
        given away.
        """
        total = len(self.messages)
        if not total:
            return
        batches = self.followed.mirror.patches(start, head, paths=self.followed.paths)
        for done, diff in enumerate(parse_log(batches), 1):
            if done % _TELL_EVERY == 0 or done == total:
                self.progress.step(f"reading {self.followed.upstream}", done, total, unit="changes")
            yield self._on_line(self.messages.pop(diff.sha), diff)

    def release_branches(
        self, branches: Sequence[tuple[str, str]], head: str, known: frozenset[str]
    ) -> Iterator[RawChange]:
        """Commits that release branches have beside the tracked branch, the known ones left out."""
        mirror = self.followed.mirror
        done = set(known)
        for name, tip in branches:
            if tip in done:
                continue
            fork = mirror.fork_point(tip, head)
            if fork is None:
                continue
            messages = {raw.sha: raw for raw in mirror.messages(fork, tip)}
            for diff in parse_log(mirror.patches(fork, tip, paths=self.followed.paths)):
                if diff.sha in messages and diff.sha not in done:
                    done.add(diff.sha)
                    yield RawChange(messages[diff.sha], diff_text(diff), name, None)

    def _on_line(self, message: RawMessage, diff: CommitDiff) -> RawChange:
        position = self.next_position
        applied = self.lineage.apply(diff, position)
        self.next_position += 1
        text = diff_text(diff, applied.functions, applied.record)
        return RawChange(message, text, self.branch, position)


def _body(raw: RawMessage) -> str:
    return split_message(raw.message)[1]
