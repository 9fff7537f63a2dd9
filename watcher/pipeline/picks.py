"""Trial picks of fixes onto a pin, on the mirror's objects; a mirror never changes a commit, so an
outcome is kept in the store for good.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from watcher.errors import MirrorError, RangeError
from watcher.facts.change import Change
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.followed import FollowedUpstream
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.mirror import PickResult
from watcher.ports.store import Store
from watcher.presence.chains import position_of
from watcher.presence.record import decode
from watcher.report.routes import PickOutcome

MOST_PREREQUISITES: Final = 5
MOST_JOINED: Final = 40
"""Picks that are tried together."""
WIDEST_PREREQUISITE: Final = 12
"""Shipped files of a change that is still worth picking for another one's sake."""
_PREREQUISITE_PARTS: Final = frozenset({Part.FILES, Part.ORIGINS})
_STARTS: Final = 3
_AT_ONCE: Final = 4
"""Trials side by side: each waits for git most of its time."""
_MOST_TRIES: Final = 15
_FORMAT: Final = 3

Picks: TypeAlias = tuple[Change, ...]
"""Changes to pick in order."""


class PickTrials(Struct, frozen=True, kw_only=True):
    """Tries picks onto one pin."""

    followed: FollowedUpstream
    store: Store
    pin: ResolvedPin

    def pick(self, change: Change) -> PickOutcome:
        """Picking one change alone."""
        return self._kept("", change) or self._keep("", change, self._try((change.sha,)))

    def pick_each(self, changes: Sequence[Change]) -> dict[str, PickOutcome]:
        """Picking each of some changes alone, by sha; what is not kept is tried side by side."""
        kept = {change.sha: self._kept("", change) for change in changes}
        new = [change for change in changes if kept[change.sha] is None]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            tried = list(pool.map(lambda change: self._try((change.sha,)), new))
        made = {
            change.sha: self._keep("", change, outcome)
            for change, outcome in zip(new, tried, strict=True)
        }
        return made | {sha: outcome for sha, outcome in kept.items() if outcome is not None}

    def pick_as_known(self, change: Change) -> PickOutcome:
        """Picking one change alone, or after its prerequisites when these were found before."""
        return self._kept("+", change) or self.pick(change)

    def pick_with_prerequisites(self, change: Change) -> PickOutcome:
        """Picking one change, on conflict after at most five changes that its lines come from.

        ``change`` must hold its record of origins. The conflicts told are those without them.
        """
        alone = self.pick(change)
        if alone.is_clean or alone.not_tried or change.position is None:
            return alone
        return self._kept("+", change) or self._keep("+", change, self._search(change, alone))

    def joined(self, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Those of some clean picks that apply one after the other, in order of landing."""
        wanted = changes[:MOST_JOINED]
        shas = [change.sha for change in wanted]
        key = f"{self.pin.upstream}@{self.pin.sha}:{_digest(shas)}"
        kept = self.store.document("pick", key)
        if isinstance(kept, list):
            return tuple(change for change in wanted if change.sha in kept)
        taken = tuple(wanted) if self._try(shas).is_clean else tuple(self._growing(wanted))
        self.store.save_document("pick", key, [change.sha for change in taken])
        return taken

    def _growing(self, changes: Sequence[Change]) -> Iterator[Change]:
        shas: list[str] = []
        for change in changes:
            if self._try((*shas, change.sha)).is_clean:
                shas.append(change.sha)
                yield change

    def _try(self, shas: Sequence[str]) -> PickOutcome:
        try:
            result = self.followed.mirror.try_pick(self.pin.sha, shas)
        except (RangeError, MirrorError) as error:
            return PickOutcome(not_tried=error.what)
        return PickOutcome(
            is_clean=result.is_clean, is_empty=result.is_empty, conflicts=result.conflicts
        )

    def _search(self, change: Change, alone: PickOutcome) -> PickOutcome:
        """The fewest prerequisites that make it clean, as far as a bounded search finds them.

        Breadth first: a set that conflicts grows by the likeliest origin of what conflicts, which
        may be a prerequisite's own.
        """
        starts = self._origins_of(change, alone.conflicts)[:_STARTS]
        queue: deque[Picks] = deque((one, change) for one in starts)
        for _ in range(_MOST_TRIES):
            if not queue:
                break
            picks = queue.popleft()
            result = self._result(picks)
            if result is None:
                break
            if result.is_clean:
                needed = self._thinned(picks)
                shas = tuple(one.sha for one in needed if one.sha != change.sha)
                return PickOutcome(is_clean=True, conflicts=alone.conflicts, prerequisites=shas)
            queue.extend(self._grown(picks, result))
        return alone

    def _grown(self, picks: Picks, result: PickResult) -> list[Picks]:
        """The picks with one more in front of the one that conflicts, while there is one."""
        at = next((one for one in picks if one.sha == result.stopped_at), None)
        if at is None or len(picks) > MOST_PREREQUISITES:
            return []
        taken = {one.sha for one in picks}
        more = [one for one in self._origins_of(at, result.conflicts) if one.sha not in taken]
        return [_in_order((*picks, one)) for one in more[:1]]

    def _thinned(self, picks: Picks) -> Picks:
        """The picks without those that it does not need; the last one is the fix."""
        for one in picks[:-1]:
            fewer = tuple(other for other in picks if other is not one)
            result = self._result(fewer) if len(fewer) > 1 else None
            if result is not None and result.is_clean:
                picks = fewer
        return picks

    def _result(self, picks: Picks) -> PickResult | None:
        try:
            return self.followed.mirror.try_pick(self.pin.sha, [one.sha for one in picks])
        except (RangeError, MirrorError):
            return None

    def _origins_of(self, change: Change, conflicts: Sequence[str]) -> list[Change]:
        """Changes after the pin that touch what conflicts, the maker of its lines first."""
        last = change.position or 0
        paths = tuple(conflicts)
        which = ChangeFilter(
            after=self.pin.position, until=last - 1, paths=paths, parts=_PREREQUISITE_PARTS
        )
        between = self.store.changes(self.pin.upstream, which)
        weights = _origin_weights(change)
        return sorted(
            (one for one in between if _is_small(one)),
            key=lambda one: (-weights.get(one.position or 0, 0.0), -(one.position or 0)),
        )

    def _key(self, way: str, change: Change) -> str:
        return f"{self.pin.upstream}@{self.pin.sha}:{way}{change.sha}:{_FORMAT}"

    def _kept(self, way: str, change: Change) -> PickOutcome | None:
        kept = self.store.document("pick", self._key(way, change))
        return None if kept is None else msgspec.convert(kept, PickOutcome)

    def _keep(self, way: str, change: Change, outcome: PickOutcome) -> PickOutcome:
        if not outcome.not_tried:
            self.store.save_document("pick", self._key(way, change), msgspec.to_builtins(outcome))
        return outcome


def _is_small(change: Change) -> bool:
    """True for a change that brings little beside what the fix needs of it."""
    shipped = sum(file.role.is_shipped for file in change.diff.files)
    return shipped <= WIDEST_PREREQUISITE and not change.message.breaking


def _in_order(picks: Picks) -> Picks:
    return tuple(sorted(picks, key=lambda one: one.position or 0))


def _origin_weights(change: Change) -> dict[int, float]:
    """Position -> how much of the lines that a change rests on was made or edited there."""
    weights: dict[int, float] = {}
    if change.diff.origins is None:
        return weights
    record = decode(change.diff.origins)
    for steps, weight in (*record.removed, *record.beside):
        for step in steps:
            place = position_of(step)
            weights[place] = weights.get(place, 0.0) + weight
    return weights


def _digest(shas: Sequence[str]) -> str:
    return hashlib.sha256("\0".join((str(_FORMAT), *shas)).encode()).hexdigest()
