"""Trial picks of fixes onto a pin, on the mirror's objects; a mirror never changes a commit, so an
outcome is kept in the store for good.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from watcher.errors import MirrorError, RangeError
from watcher.facts import Change, ResolvedPin
from watcher.pipeline.followed import FollowedUpstream
from watcher.ports import ChangeFilter, Part, Store
from watcher.presence.chains import position_of
from watcher.presence.record import decode
from watcher.report.routes import PickOutcome

MOST_PREREQUISITES: Final = 5
MOST_JOINED: Final = 40
"""Picks that are tried together."""
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PickTrials:
    """Tries picks onto one pin."""

    followed: FollowedUpstream
    store: Store
    pin: ResolvedPin

    def pick(self, change: Change) -> PickOutcome:
        """Picking one change alone."""
        return self._kept("", change) or self._keep("", change, self._try((change.sha,)))

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
        """The fewest prerequisites that make it clean: one, else a growing set, then thinned."""
        likely = [one.sha for one in self._likely_prerequisites(change, alone.conflicts)]
        order = {sha: place for place, sha in enumerate(self._landed_order(likely))}

        def is_clean(shas: Sequence[str]) -> bool:
            return self._try((*sorted(shas, key=order.__getitem__), change.sha)).is_clean

        enough = next((likely[:size] for size in _sizes(likely) if is_clean(likely[:size])), [])
        for sha in tuple(enough):
            fewer = [one for one in enough if one != sha]
            if fewer and is_clean(fewer):
                enough = fewer
        if not enough:
            return alone
        shas = tuple(sorted(enough, key=order.__getitem__))
        return PickOutcome(is_clean=True, conflicts=alone.conflicts, prerequisites=shas)

    def _likely_prerequisites(self, change: Change, conflicts: Sequence[str]) -> list[Change]:
        """Changes after the pin that made the lines it rests on and touch what conflicts."""
        last = change.position or 0
        which = ChangeFilter(
            after=self.pin.position,
            until=last - 1,
            paths=tuple(conflicts),
            parts=frozenset({Part.FILES}),
        )
        between = self.store.changes(self.pin.upstream, which)
        weights = _origin_weights(change)
        between.sort(key=lambda one: (-weights.get(one.position or 0, 0.0), -(one.position or 0)))
        return between[:MOST_PREREQUISITES]

    def _landed_order(self, shas: Sequence[str]) -> list[str]:
        which = ChangeFilter(shas=tuple(shas), parts=frozenset())
        return [one.sha for one in self.store.changes(self.pin.upstream, which)] if shas else []

    def _key(self, way: str, change: Change) -> str:
        return f"{self.pin.upstream}@{self.pin.sha}:{way}{change.sha}:{_FORMAT}"

    def _kept(self, way: str, change: Change) -> PickOutcome | None:
        kept = self.store.document("pick", self._key(way, change))
        return None if kept is None else msgspec.convert(kept, PickOutcome)

    def _keep(self, way: str, change: Change, outcome: PickOutcome) -> PickOutcome:
        if not outcome.not_tried:
            self.store.save_document("pick", self._key(way, change), msgspec.to_builtins(outcome))
        return outcome


def _sizes(likely: Sequence[str]) -> Iterator[int]:
    yield from range(1, len(likely) + 1)


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
