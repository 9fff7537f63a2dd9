"""One pass over an upstream's new commits: messages and diffs -> changes with facts and origins.

The diff of a commit is read once, for facts and origins together. Only the mirror is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from watcher.facts import Change, DiffFacts
from watcher.history.body import boilerplate
from watcher.history.diff import CommitDiff, parse_log
from watcher.history.diff_facts import diff_facts
from watcher.history.facets import FacetReader
from watcher.history.message import parse_message, split_message
from watcher.pipeline.followed import FollowedUpstream
from watcher.ports import Progress, RawMessage
from watcher.presence.lineage import Lineage

_TELL_EVERY = 50


@dataclass(slots=True)
class HistoryReader:
    """Reads ``start..head`` of the tracked branch and the commits of release branches."""

    followed: FollowedUpstream
    branch: str
    lineage: Lineage
    next_position: int
    boilerplate: frozenset[str]
    progress: Progress
    facets: FacetReader
    messages: dict[str, RawMessage] = field(default_factory=dict)
    seen: list[Change] = field(default_factory=list)
    """What was read, for linking: without identifiers, strings, origins and raw bodies."""

    def read_messages(self, start: str | None, head: str) -> None:
        """Read the messages of the line; without known boilerplate, learn it from them."""
        self.messages = {raw.sha: raw for raw in self.followed.mirror.messages(start, head)}
        if not self.boilerplate:
            self.boilerplate = boilerplate(_body(raw) for raw in self.messages.values())

    def line(self, start: str | None, head: str) -> Iterator[Change]:
        """Changes of the tracked branch, oldest first, each with its position."""
        messages = self.messages
        if not messages:
            return
        lines = self.followed.mirror.patches(start, head, paths=self.followed.paths)
        for done, diff in enumerate(parse_log(lines), 1):
            if done % _TELL_EVERY == 0 or done == len(messages):
                self.progress.step(
                    f"reading {self.followed.upstream}", done, len(messages), unit="changes"
                )
            yield self._change(messages[diff.sha], diff, self.branch, is_on_line=True)

    def release_branches(
        self, branches: Sequence[tuple[str, str]], head: str, known: frozenset[str]
    ) -> Iterator[Change]:
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
                    yield self._change(messages[diff.sha], diff, name, is_on_line=False)

    def _change(
        self, raw: RawMessage, diff: CommitDiff, branch: str, *, is_on_line: bool
    ) -> Change:
        message = parse_message(raw, self.followed.profile, self.boilerplate)
        if is_on_line:
            applied = self.lineage.apply(diff, self.next_position)
            facts = diff_facts(diff, applied.functions, applied.record)
        else:
            facts = diff_facts(diff)
        change = Change(
            upstream=self.followed.upstream,
            branch=branch,
            position=self.next_position if is_on_line else None,
            message=message,
            diff=facts,
            facets=self.facets.of_change(message, facts.files),
        )
        self.next_position += is_on_line
        self.seen.append(_light(change))
        return change


def _body(raw: RawMessage) -> str:
    return split_message(raw.message)[1]


def _light(change: Change) -> Change:
    message = replace(change.message, raw_body="")
    return replace(change, message=message, diff=DiffFacts(files=change.diff.files))
