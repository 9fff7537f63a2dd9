"""The confusion table of presence over labelled pairs, straight from bare mirrors.

Run: ``python -m tests.tuning.presence_eval CASES.jsonl MIRRORS --work DIRECTORY [--code-only]``.
MIRRORS holds ``OWNER+NAME/repo``, bare; ``--mirror UPSTREAM=DIRECTORY`` names another.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from watcher.adapters.files import read_profile_text
from watcher.adapters.git.mirror import GitMirror
from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts
from watcher.facts.links import Links
from watcher.facts.presence import Presence
from watcher.history.diff import parse_log
from watcher.history.diff_facts import diff_facts
from watcher.history.links import link
from watcher.history.lookup import link_input
from watcher.history.message import parse_message
from watcher.ports.mirror import MirrorRequest, RawMessage
from watcher.presence.contained import Carried, CarriedCommit, Containment, find_contained
from watcher.presence.evaluate import PresenceCase, PresenceTable, parse_cases, tabulate
from watcher.presence.landed import LandedLine, landed_line
from watcher.presence.lineage import Lineage
from watcher.presence.verdict import PinView, judge
from watcher.upstreams.load import load_profile
from watcher.upstreams.profile import Profile


@dataclass(frozen=True)
class History:
    """An upstream's whole tracked line, read once."""

    mirror: GitMirror
    head: str
    changes: Mapping[str, Change]
    links: Mapping[str, Links]
    line: LandedLine


class Silent:
    """Progress that nobody watches."""

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        pass

    def note(self, line: str) -> None:
        print(f"# {line}")


def mirrored(place: Path, own: Path, profile: Profile, pins: tuple[str, ...]) -> GitMirror:
    """A mirror of a local repository, which may lack objects."""
    mirror = GitMirror(own, environment=os.environ)
    request = MirrorRequest(
        remote=f"file://{place}",
        branch=profile.branch,
        refs=pins,
        since=datetime(2000, 1, 1, tzinfo=UTC),
        tag_pattern=profile.tag_pattern.pattern,
        release_branch_pattern=profile.release_branch_pattern.pattern,
    )
    mirror.update(request, Silent())
    return mirror


def read_history(mirror: GitMirror, upstream: str, profile: Profile) -> History:
    state = mirror.state()
    assert state is not None
    head = state.head
    raws = {raw.sha: raw for raw in mirror.messages(None, head)}
    lineage = Lineage()
    changes: dict[str, Change] = {}
    for position, diff in enumerate(parse_log(mirror.patches(None, head))):
        applied = lineage.apply(diff, position)
        files = diff_facts(diff, applied.functions).files
        changes[diff.sha] = Change(
            upstream=upstream,
            branch=profile.branch,
            position=position,
            message=parse_message(raws[diff.sha], profile, frozenset()),
            diff=DiffFacts(files=files, origins=applied.record),
        )
    links = {one.sha: one for one in link(map(link_input, changes.values()))}
    return History(mirror, head, changes, links, landed_line(changes.values()))


class Pins:
    """Positions of pins and what they carry, looked up once each."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._known: dict[str, tuple[int | None, Carried]] = {}

    def view(self, pin: str) -> tuple[int | None, Carried]:
        if pin not in self._known:
            self._known[pin] = self._read(pin)
        return self._known[pin]

    def _read(self, pin: str) -> tuple[int | None, Carried]:
        history = self._history
        on_line = history.changes.get(pin)
        if on_line is not None:
            return on_line.position, Carried([])
        fork = history.mirror.fork_point(pin, history.head)
        if fork is None or fork not in history.changes:
            return None, Carried([])
        raws = list(history.mirror.messages(fork, pin, first_parent=False))
        ids = history.mirror.patch_ids([raw.sha for raw in raws])
        return history.changes[fork].position, Carried(_commits(raws, ids))


def _commits(raws: Iterable[RawMessage], ids: Mapping[str, str]) -> Iterator[CarriedCommit]:
    return (CarriedCommit(raw.sha, raw.message, ids.get(raw.sha)) for raw in raws)


def presence_of(history: History, pins: Pins, case: PresenceCase, *, code_only: bool) -> Presence:
    change = history.changes.get(case.fix)
    position, carried = pins.view(case.pin)
    if change is None or position is None:
        return Presence.UNKNOWN
    contained: Containment | None = None
    if carried:
        contained = find_contained(change, carried, history.mirror.patch_ids([change.sha]))
    links = None if code_only else history.links.get(change.sha)
    view = PinView(position, code_only=code_only)
    return judge(change, links, view, history.line, contained).presence


def show(table: PresenceTable) -> None:
    columns = [Presence.ABSENT, Presence.PARTLY, Presence.PRESENT, Presence.CONTAINED]
    columns += [Presence.WITHDRAWN, Presence.UNKNOWN]
    print(f"{'group':16}{'expected':>10}" + "".join(f"{column:>10}" for column in columns))
    for group, counts in table.groups.items():
        row = "".join(f"{counts.get(column, 0):>10}" for column in columns)
        print(f"{group:16}{table.expected[group]:>10}{row}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="where mirrors are kept")
    parser.add_argument("--mirror", action="append", default=[], metavar="UPSTREAM=DIRECTORY")
    parser.add_argument("--code-only", action="store_true")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    named = dict(pair.split("=", 1) for pair in given.mirror)
    cases = parse_cases(given.cases.read_text(), where=str(given.cases))
    judged: list[tuple[PresenceCase, Presence]] = []
    for upstream in sorted({case.upstream for case in cases}):
        place = Path(named.get(upstream, given.mirrors / upstream.replace("/", "+") / "repo"))
        own = given.work / upstream.replace("/", "+")
        profile = load_profile(upstream, read_profile_text)
        pinned = tuple(sorted({case.pin for case in cases if case.upstream == upstream}))
        history = read_history(mirrored(place, own, profile, pinned), upstream, profile)
        pins = Pins(history)
        for case in cases:
            if case.upstream == upstream:
                found = presence_of(history, pins, case, code_only=given.code_only)
                judged.append((case, found))
    show(tabulate(judged))
    for case, found in judged:
        if given.misses and found is not case.expected:
            print(case.group, case.upstream, case.pin[:9], case.fix[:9], found)


if __name__ == "__main__":
    main()
