"""Writes (pin, fix) pairs whose presence the history itself tells, without an author's word on it.

    python -m tests.tuning.presence_pairs --config watcher.toml [UPSTREAM ...] > PAIRS.jsonl

The configuration names synced upstreams, read from their first commit on (``since``). Each pair
is a case of ``watcher evaluate --presence``; its group says how the label was got:

* ``opened``: a mend, and the line just before the first change landed whose pull request is no
  older than the mend's own. The mend was being written then, so what it mends was there: present.
* ``reported``: the same with the number of the issue that it closes.
* ``picked``: a mend that a release branch took, at the fork point of that branch, where four
  fifths of what the pick itself removes (of the lines around it for a pure addition) stand in the
  same files of the fork point: present. Read from the tree, not from the line table.
* ``at_reverted``, ``before_revert``: a revert at the change that it takes back, and at the change
  before itself: present. ``before_reverted``: the change before the reverted one: absent.
* ``named_thing``: a mend whose title names a thing (``qwen3next``) that one change, no mend itself,
  first brought into titles and paths, at the change before that one: absent.

Labels are not certain: a pull request may be rewritten after it was opened, an issue may ask for
something else, a release branch may have taken the faulty change as well. They serve to compare
rules, and to bound what a rule costs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from watcher.app import App, open_app
from watcher.facts.change import Change
from watcher.facts.kind import Kind
from watcher.facts.links import Links
from watcher.facts.presence import Presence
from watcher.history.roles import path_role
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.mirror import Mirror
from watcher.presence.lines import is_import, line_keys, telling

FARTHEST = 600
"""Changes between a pull request's opening and its landing up to which it counts as the same."""
EARLIEST = 100
"""Position before which everything is new: nothing is named from there."""
THERE = 0.8
"""Share of a pick's old lines that a fork point must hold."""
THING = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*")
SAYS_A_THING = re.compile(r"\d|[_-]|[a-z][A-Z]|[A-Z]{3}")
NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Pair:
    """A pin on the tracked line, by position, and a change."""

    pin: int
    fix: Change
    expected: Presence
    group: str


@dataclass(frozen=True)
class Story:
    """One upstream as it is stored."""

    line: list[Change]
    """The tracked line, oldest first."""
    known: Mapping[str, Change]
    """All changes, those of release branches too."""
    links: Mapping[str, Links]
    mirror: Mirror

    def fixes(self) -> Iterator[Change]:
        return (change for change in self.line if change.message.kind is Kind.FIX)

    def place(self, sha: str) -> int | None:
        change = self.known.get(sha)
        return change.position if change is not None else None


def main() -> int:
    """Print the pairs of the named upstreams, of all that are configured by default."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("upstreams", nargs="*")
    parser.add_argument("--config", type=Path, required=True)
    asked = parser.parse_args()
    app = open_app(asked.config)
    for upstream in asked.upstreams or [pin.upstream for pin in app.settings.pins]:
        story = read_story(app, upstream)
        for pair in pairs_of(story):
            case = {
                "upstream": upstream,
                "pin": story.line[pair.pin].sha,
                "fix": pair.fix.sha,
                "expected": pair.expected.value,
                "group": pair.group,
            }
            print(json.dumps(case))
    return 0


def read_story(app: App, upstream: str) -> Story:
    """An upstream from the store."""
    which = ChangeFilter(off_line=None, parts=frozenset({Part.FILES}))
    changes = app.store.changes(upstream, which)
    line = sorted((change for change in changes if change.position is not None), key=place_of)
    if [place_of(change) for change in line] != list(range(len(line))):
        sys.exit(f"{upstream}: read it from its first commit on (since)")
    return Story(
        line,
        {change.sha: change for change in changes},
        app.store.links(upstream),
        app.followed(upstream).mirror,
    )


def place_of(change: Change) -> int:
    """Position of a change that is on the line."""
    return -1 if change.position is None else change.position


def pairs_of(story: Story) -> Iterator[Pair]:
    """All pairs of an upstream, each once."""
    given: set[tuple[int, str, str]] = set()
    for pairs in (opened(story), picked(story), reverted(story), named(story)):
        for pair in pairs:
            key = (pair.pin, pair.fix.sha, pair.group)
            if 0 <= pair.pin < place_of(pair.fix) and key not in given:
                given.add(key)
                yield pair


def opened(story: Story) -> Iterator[Pair]:
    """Mends at the time when they, or the issues that they close, were opened."""
    first = first_landed(story.line)
    pulls = {change.number for change in story.line}
    for fix in story.fixes():
        own = fix.number or 0
        latest = place_of(fix) - 2
        pin = first.get(own, 0) - 1
        if latest - FARTHEST <= pin <= latest:
            yield Pair(pin, fix, Presence.PRESENT, "opened")
        for number in fix.message.closes:
            if number < own and number not in pulls and first.get(number, 0) - 1 <= latest:
                yield Pair(first.get(number, 0) - 1, fix, Presence.PRESENT, "reported")


def first_landed(line: Iterable[Change]) -> dict[int, int]:
    """For each number the first position at which it, or a later number, had landed: issues and
    pull requests share one count, so it was opened by then.
    """
    landed: dict[int, int] = {}
    for change in line:
        if change.number is not None:
            landed.setdefault(change.number, place_of(change))
    found: dict[int, int] = {}
    earliest = max(landed.values(), default=0)
    for number in range(max(landed, default=0), 0, -1):
        earliest = min(earliest, landed.get(number, earliest))
        found[number] = earliest
    return found


def reverted(story: Story) -> Iterator[Pair]:
    """Reverts around the change that they take back."""
    for revert in story.line:
        links = story.links.get(revert.sha)
        targets = links.reverts if links is not None else ()
        target = story.place(targets[0]) if len(targets) == 1 else None
        if target is not None and target < place_of(revert):
            yield Pair(target - 1, revert, Presence.ABSENT, "before_reverted")
            yield Pair(target, revert, Presence.PRESENT, "at_reverted")
            if target < place_of(revert) - 1:
                yield Pair(place_of(revert) - 1, revert, Presence.PRESENT, "before_revert")


def named(story: Story) -> Iterator[Pair]:
    """Mends before the change that brought the thing that their titles name."""
    titled: dict[str, Change] = {}
    pathed: dict[str, int] = {}
    seen: set[str] = set()
    for change in story.line:
        words = things_in(change.message.title)
        paths = {alphanumeric(file.path) for file in change.diff.files}
        born = [
            place_of(titled[word])
            for word in words
            if word in titled and pathed.get(word) == place_of(titled[word]) >= EARLIEST
        ]
        if change.message.kind is Kind.FIX:
            if born:
                yield Pair(max(born) - 1, change, Presence.ABSENT, "named_thing")
        else:
            for word in words - titled.keys():
                titled[word] = change
                if is_in_any(word, paths) and not is_in_any(word, seen):
                    pathed[word] = place_of(change)
        seen |= paths


def is_in_any(word: str, texts: Iterable[str]) -> bool:
    return any(word in text for text in texts)


def things_in(title: str) -> set[str]:
    """Words of a title that name a thing, bare."""
    bare = {alphanumeric(word) for word in THING.findall(title) if SAYS_A_THING.search(word)}
    return {word for word in bare if 5 <= len(word) <= 30}


def alphanumeric(text: str) -> str:
    return NOT_ALPHANUMERIC.sub("", text.lower())


# --- picks ---


def picked(story: Story) -> Iterator[Pair]:
    """Mends that release branches took, at the fork points, where their code stands there."""
    head = story.line[-1].sha
    for fix in story.fixes():
        links = story.links.get(fix.sha)
        for sha in links.equivalents if links is not None else ():
            pick = story.known.get(sha)
            if pick is None or pick.position is not None:
                continue
            fork = story.mirror.fork_point(sha, head)
            place = story.place(fork) if fork is not None else None
            if fork is None or place is None or place >= place_of(fix):
                continue
            if stands_at(story.mirror, fork, story.mirror.patch_of(sha, context=2)):
                yield Pair(place, fix, Presence.PRESENT, "picked")


def stands_at(mirror: Mirror, sha: str, patch: str) -> bool:
    """True when a commit holds most of what a patch removes, or stands beside."""
    removed: list[bool] = []
    around: list[bool] = []
    for path, old in old_lines(patch):
        tree = mirror.read(sha, path) or b""
        keys = set(line_keys(tree.decode("utf-8", "replace").splitlines()))
        texts = [line[1:] for line in old]
        own = line_keys(texts)
        for index in telling(texts, own):
            if not is_import(texts[index]):
                there = removed if old[index].startswith("-") else around
                there.append(own[index] in keys)
    telltale = removed or around
    return bool(telltale) and sum(telltale) >= THERE * len(telltale)


def old_lines(patch: str) -> Iterator[tuple[str, list[str]]]:
    """Shipped files of a patch with the lines of their old side, marks kept."""
    for part in re.split(r"^diff --git ", patch, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(r"^@@ .*$", part, flags=re.MULTILINE)
        path = re.search(r"^--- a/(.*?)\t?$", head, flags=re.MULTILINE)
        if path is not None and path_role(path[1]).is_shipped:
            lines = [line for hunk in hunks for line in hunk.splitlines()]
            yield path[1], [line for line in lines if line[:1] in {"-", " "}]


if __name__ == "__main__":
    sys.exit(main())
