"""A commit laid over the line table, before it is applied -> its record.

Pure. Looks at each hunk of the most telling files: which old lines it removes, what stands beside
its additions, which of its lines had been deleted before, how old the functions around it are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from watcher.facts.change import BEFORE_RANGE
from watcher.facts.diff import Role
from watcher.presence.chains import DELETED, Chains, step
from watcher.presence.lines import is_import, place_key, telling, without_layout
from watcher.presence.names import NameBirths, names_bound, names_in
from watcher.presence.record import (
    CODE,
    NEW_FILES,
    OTHER,
    TESTS,
    Record,
    RestingLine,
    Tally,
    heaviest,
    quantiles,
)
from watcher.presence.trace import Gone
from watcher.presence.tracked import TrackedFile, TrackedHunk

_HUNK_CAP: Final = 8
"""A hunk counts as this many lines at most."""
_SHOWN_LINES: Final = 4
_SHOWN_LENGTH: Final = 120
_MOST_NAMES: Final = 12
_MOVED_KEY: Final = 12
_LEVELS: Final = (
    frozenset({Role.SOURCE}),
    frozenset({Role.CONFIG, Role.BUILD}),
    frozenset({Role.EXAMPLE}),
)


class _Region(Struct):
    """A hunk reduced to its lines that carry meaning."""

    file: TrackedFile
    hunk: TrackedHunk
    removed: list[int]
    """Indexes of the removed lines that do not come back in the hunk."""
    added: list[int]
    is_import: bool
    is_layout: bool
    """True when only quotes, commas, brackets or line breaks differ."""


class Survey(Struct):
    """What is looked up while a commit is read: chains, deleted lines, the ages of folders."""

    chains: Chains
    gone: Gone
    folder_births: Mapping[str, int]
    name_births: NameBirths
    position: int
    _functions: dict[tuple[str, int], Counter[int]] = field(default_factory=dict)

    def record(self, files: Sequence[TrackedFile], *, touches_tests: bool) -> Record:
        """The record of a commit; ``files`` are its followed files."""
        moved = _moved_keys(files)
        regions = [region for file in files if not file.is_new for region in _regions(file, moved)]
        shipped = [r for r in regions if r.file.diff.role is not Role.TEST]
        chosen = _most_telling(shipped)
        if chosen:
            return self._measured(CODE, chosen, shipped)
        new = [file for file in files if file.is_new and file.diff.role.is_shipped]
        if new:
            births = sorted({self._folder_birth(file.diff.path) for file in new})
            return Record(scope=NEW_FILES, folders=tuple(births[:4]))
        if regions:
            return self._measured(TESTS, _without_noise(regions), regions)
        return Record(scope=TESTS if touches_tests else OTHER)

    def _folder_birth(self, path: str) -> int:
        """Birth of the innermost folder that is there before the commit; the root is always."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self.folder_births:
            folder = folder.rpartition("/")[0]
        return self.folder_births.get(folder, BEFORE_RANGE)

    def _measured(self, scope: str, regions: Sequence[_Region], named: Sequence[_Region]) -> Record:
        tally = Tally()
        lines: list[RestingLine] = []
        names = self._names(named)
        for region in regions:
            self._weigh_old(region, tally, lines)
            self._weigh_added(region, tally)
            self._weigh_body(region, tally)
        return Record(
            scope=scope,
            removed=heaviest(self._by_steps(tally.removed)),
            beside=heaviest(self._by_steps(tally.beside)),
            brought_back=heaviest(tally.brought_back.items()),
            added_weight=tally.added_weight,
            body_births=quantiles(tally.body),
            lines=tuple(lines),
            position=self.position,
            names=tuple(names[:_MOST_NAMES]),
            names_count=len(names),
        )

    def _names(self, regions: Sequence[_Region]) -> list[tuple[int, str]]:
        """What the new lines use and the old ones do not."""
        new = [region.hunk.hunk.added[index] for region in regions for index in region.added]
        known = self.name_births.known(names_in(new))
        if not known:
            return []
        removed = [text for region in regions for text in region.hunk.hunk.removed]
        added = [text for region in regions for text in region.hunk.hunk.added]
        own = names_in(removed) | names_bound(added)
        return [(birth, name) for birth, name in known if name not in own]

    def _by_steps(self, weights: Mapping[int, float]) -> Iterable[tuple[tuple[int, ...], float]]:
        return ((self.chains.steps(provenance), weight) for provenance, weight in weights.items())

    def _weigh_old(self, region: _Region, tally: Tally, lines: list[RestingLine]) -> None:
        hunk = region.hunk
        count = len(region.removed)
        for index in region.removed:
            provenance = hunk.removed_from[index]
            weight = min(count, _HUNK_CAP) / count
            tally.removed[provenance] = tally.removed.get(provenance, 0.0) + weight
            if len(lines) < _SHOWN_LINES:
                text = hunk.hunk.removed[index].strip()[:_SHOWN_LENGTH]
                steps = self.chains.steps(provenance)
                lines.append(RestingLine(region.file.diff.old_path, text, steps))
        if not count:
            table = region.file.lines
            start, end = hunk.hunk.old_start, hunk.hunk.old_end
            neighbours = [*table[max(0, start - 1) : start], *table[end : end + 1]]
            for provenance in neighbours:
                share = 1 / len(neighbours)
                tally.beside[provenance] = tally.beside.get(provenance, 0.0) + share

    def _weigh_added(self, region: _Region, tally: Tally) -> None:
        count = len(region.added)
        tally.added_weight += min(count, _HUNK_CAP)
        for index in region.added:
            key = place_key(region.file.diff.old_path, region.hunk.added_keys[index])
            before = self.gone.get(key)
            if before is not None:
                steps = (*self.chains.steps(before[0]), step(before[1], DELETED))
                weight = min(count, _HUNK_CAP) / count
                tally.brought_back[steps] = tally.brought_back.get(steps, 0.0) + weight

    def _weigh_body(self, region: _Region, tally: Tally) -> None:
        definitions = region.file.definitions
        hunk = region.hunk.hunk
        at = hunk.old_start if hunk.old_count else max(0, hunk.old_start - 1)
        text = hunk.removed[0] if hunk.removed else hunk.added[0] if hunk.added else ""
        index = definitions.enclosing(at, _indent(text))
        if index is None:
            return
        births = self._births(region.file, index)
        total = sum(births.values())
        for position, count in births.items():
            tally.body[position] = tally.body.get(position, 0.0) + count / total

    def _births(self, file: TrackedFile, index: int) -> Counter[int]:
        """Lines of a function by their births."""
        name = (file.diff.old_path, index)
        held = self._functions.get(name)
        if held is None:
            start, end = file.definitions.extent(index)
            body = file.lines[start:end]
            held = self._functions[name] = Counter()
            for provenance, count in Counter(body).items():
                held[self.chains.birth(provenance)] += count
        return held


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _moved_keys(files: Sequence[TrackedFile]) -> frozenset[str]:
    """Distinctive lines that the commit takes from one hunk and puts into another."""
    removed: dict[str, int] = {}
    for at, hunk in enumerate(h for file in files for h in file.hunks):
        for key in hunk.removed_keys:
            if len(key) >= _MOVED_KEY:
                removed[key] = at
    return frozenset(
        key
        for at, hunk in enumerate(h for file in files for h in file.hunks)
        for key in removed.keys() & hunk.added_keys
        if removed[key] != at
    )


def _regions(file: TrackedFile, moved: frozenset[str]) -> Iterable[_Region]:
    for hunk in file.hunks:
        if not hunk.is_legible:
            continue
        removed = hunk.removed_telling
        added = telling(hunk.hunk.added, hunk.added_keys)
        old_keys = [hunk.removed_keys[i] for i in removed]
        new_keys = [hunk.added_keys[i] for i in added]
        if old_keys == new_keys:
            continue
        texts = [hunk.hunk.removed[i] for i in removed] + [hunk.hunk.added[i] for i in added]
        yield _Region(
            file,
            hunk,
            _others(removed, old_keys, new_keys, moved) or removed,
            _others(added, new_keys, old_keys, moved),
            is_import=all(map(is_import, texts)),
            is_layout=bool(old_keys and new_keys)
            and without_layout(old_keys) == without_layout(new_keys),
        )


def _others(
    indexes: Sequence[int], keys: Sequence[str], opposite: Iterable[str], moved: frozenset[str]
) -> list[int]:
    """Indexes of the lines that neither stand on the opposite side nor move."""
    known = set(opposite)
    return [
        index
        for index, key in zip(indexes, keys, strict=True)
        if key not in known and key not in moved
    ]


def _most_telling(regions: Sequence[_Region]) -> list[_Region]:
    """Regions of the best level that has any, without noise."""
    for roles in _LEVELS:
        level = [region for region in regions if region.file.diff.role in roles]
        if level:
            return _without_noise(level)
    return []


def _without_noise(regions: Sequence[_Region]) -> list[_Region]:
    """Imports and layout are left out unless nothing else is there."""
    chosen = [region for region in regions if not region.is_import] or list(regions)
    return [region for region in chosen if not region.is_layout] or chosen
