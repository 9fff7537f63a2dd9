"""The new lines of a commit -> where each came from: kept, moved, brought back, edited or new.

Pure. Tried in that order over the whole commit, so that a block that moves between files keeps its
history and only what is left counts as made here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

from watcher.presence.chains import DELETED, EDITED, RESTORED, Chains, step
from watcher.presence.lines import place_key, without_layout
from watcher.presence.similarity import LENGTHS, similarity
from watcher.presence.tracked import TrackedFile, TrackedHunk

SIMILAR: Final = 0.85
"""Ratio from which a replaced line counts as edited rather than new."""
_LONG_KEY: Final = 12
"""Characters from which a line is distinctive enough to be followed across hunks."""
_SHORTEST_GONE: Final = 8
_MOST_PAIRS: Final = 900
"""Replaced times new lines of a hunk up to which similar pairs are looked for."""
_MOST_REFORMATTED: Final = 400
_NOWHERE: Final = -(2**31)

Gone: TypeAlias = dict[int, tuple[int, int]]
"""Deleted lines: place key -> (provenance, position of the deletion)."""
_Pool: TypeAlias = dict[str, list[int]]


def trace(files: Sequence[TrackedFile], position: int, chains: Chains, gone: Gone) -> None:
    """Fill ``added_from`` of every hunk and note in ``gone`` what the commit deletes."""
    pool: _Pool = defaultdict(list)
    remains: list[tuple[TrackedFile, TrackedHunk, list[int]]] = []
    for file in files:
        for hunk in file.hunks:
            left = _keep_within(hunk, position)
            for index in left:
                key = hunk.removed_keys[index]
                if len(key) >= _LONG_KEY:
                    pool[key].append(hunk.removed_from[index])
            remains.append((file, hunk, left))
    for file, hunk, left in remains:
        _trace_hunk(_Place(file, hunk, left), position, chains, gone, pool)
    for file, hunk, left in remains:
        _note_gone(file, hunk, left, position, gone, pool)


class _Place:
    """A hunk whose unexplained lines are being traced."""

    def __init__(self, file: TrackedFile, hunk: TrackedHunk, left: list[int]) -> None:
        self.path = file.diff.path
        self.is_new = file.is_new
        self.is_all_new = file.is_new and not hunk.removed_keys
        self.hunk = hunk
        self.left = left
        self.may_edit = 0 < len(left) * len(hunk.added_keys) <= _MOST_PAIRS


def _keep_within(hunk: TrackedHunk, position: int) -> list[int]:
    """Give added lines that stood in the same hunk their old provenance; indexes of the removed
    lines that are left over.
    """
    removed, added = hunk.removed_keys, hunk.added_keys
    if not hunk.is_legible:
        hunk.added_from = [position] * hunk.hunk.new_count
        return []
    if not removed or not added:
        hunk.added_from = [_NOWHERE] * len(added)
        return list(range(len(removed)))
    if max(len(removed), len(added)) < _MOST_REFORMATTED and (
        without_layout(removed) == without_layout(added)
    ):
        last = len(removed) - 1
        hunk.added_from = [
            hunk.removed_from[min(last, i * len(removed) // len(added))] for i in range(len(added))
        ]
        return []
    places: dict[str, list[int]] = {}
    for index in range(len(removed) - 1, -1, -1):
        places.setdefault(removed[index], []).append(index)
    origins = []
    used = set()
    for key in added:
        same = places.get(key)
        if same:
            index = same.pop()
            used.add(index)
            origins.append(hunk.removed_from[index])
        else:
            origins.append(_NOWHERE)
    hunk.added_from = origins
    return [index for index in range(len(removed)) if index not in used]


def _trace_hunk(place: _Place, position: int, chains: Chains, gone: Gone, pool: _Pool) -> None:
    origins = place.hunk.added_from
    if place.is_all_new and pool.keys().isdisjoint(place.hunk.added_keys):
        origins[:] = [position] * len(origins)
        return
    for index, key in enumerate(place.hunk.added_keys):
        if origins[index] != _NOWHERE:
            continue
        moved = pool.get(key) if len(key) >= _LONG_KEY else None
        if moved:
            origins[index] = moved.pop()
            continue
        if not place.is_new and len(key) >= _SHORTEST_GONE:
            before = gone.pop(place_key(place.path, key), None)
            if before is not None:
                origins[index] = chains.extended(
                    before[0], step(before[1], DELETED), step(position, RESTORED)
                )
                continue
        origins[index] = position
        if place.may_edit and len(key) >= _LONG_KEY:
            similar = _most_similar(key, place)
            if similar is not None:
                origins[index] = chains.extended(
                    place.hunk.removed_from[similar], step(position, EDITED)
                )


def _most_similar(key: str, place: _Place) -> int | None:
    """Index of the removed line most like a new one, if like enough."""
    best = SIMILAR
    found = None
    length = len(key)
    shortest = length * LENGTHS
    for index in place.left:
        other = place.hunk.removed_keys[index]
        if len(other) < shortest or len(other) * LENGTHS > length:
            continue
        ratio = similarity(other, key)
        if ratio > best or (ratio == best and found is None):
            best, found = ratio, index
    return found


def _note_gone(
    file: TrackedFile, hunk: TrackedHunk, left: list[int], position: int, gone: Gone, pool: _Pool
) -> None:
    lost = set(left)
    for index in hunk.removed_telling if lost else ():
        key = hunk.removed_keys[index]
        if index not in lost or len(key) < _SHORTEST_GONE:
            continue
        if len(key) < _LONG_KEY or pool.get(key):
            gone[place_key(file.diff.path, key)] = (hunk.removed_from[index], position)
