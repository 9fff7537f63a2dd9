"""A board and what a reader asks for -> the rows of one page, with counts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from watcher.facts.kind import State
from watcher.pipeline.board import Board, Row
from watcher.pipeline.listing import ListFilter

PAGE_SIZES: Final = (25, 50, 100, 200)
DEFAULT_SIZE: Final = 50
IGNORED: Final = "ignored"


class Sort(StrEnum):
    """In which order rows come."""

    LIKELY = "likely"
    NEWEST = "newest"
    OLDEST = "oldest"
    FOUND = "found"
    NAME = "name"


_DEFAULT: Final = ListFilter()


class Selection(Struct, frozen=True, kw_only=True):
    """What a reader asks for. Empty means no restriction."""

    which: ListFilter = _DEFAULT
    pins: frozenset[str] = frozenset()
    states: frozenset[State] = frozenset()
    facets: frozenset[str] = frozenset()
    """All of them have to be there."""
    file: str = ""
    """Part of a path."""
    since: date | None = None
    until: date | None = None
    words: tuple[str, ...] = ()
    """Lower case; each of them has to be there."""
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Word -> shas of the changes whose own texts hold it; what a row shows is looked at anyway."""
    has_ignored: bool = False
    """True shows what was put aside, too."""
    sort: Sort = Sort.LIKELY

    def checks(self) -> list[Callable[[Row], bool]]:
        """What keeps rows away beside tier, kind, presence and an ignore; those in use only."""
        checks: list[Callable[[Row], bool]] = []
        if self.pins:
            checks.append(lambda row: row.item.pin in self.pins)
        if self.states:
            states = {one.value for one in self.states}
            checks.append(lambda row: (row.item.state or "") in states)
        if self.facets:
            checks.append(lambda row: self.facets.issubset(row.item.facets))
        if self.since or self.until:
            checks.append(lambda row: self._is_within(row.item.merged_at or row.item.opened_at))
        checks += [self._word_check(word) for word in self.words]
        if self.file:
            checks.append(lambda row: any(self.file in path.lower() for path in row.item.files))
        return checks

    def _word_check(self, word: str) -> Callable[[Row], bool]:
        held = self.held.get(word, frozenset())
        return lambda row: word in row.text or row.item.sha in held

    def why_not(self, row: Row) -> str | None:
        """Reason under which a row is only counted, or None when it is shown."""
        if row.ignored is not None and not self.has_ignored:
            return IGNORED
        return self.which.why_not(row.found)

    def _is_within(self, moment: datetime | None) -> bool:
        if moment is None:
            return False
        landed = moment.astimezone(UTC).date()
        return (self.since is None or landed >= self.since) and (
            self.until is None or landed <= self.until
        )


class Selected(Struct, frozen=True, kw_only=True):
    """One page of rows."""

    rows: tuple[Row, ...]
    total: int
    page: int
    """1 for the first."""
    pages: int
    collapsed: tuple[tuple[str, int], ...] = ()
    """(reason, count) of what matches and is not shown."""


def select(board: Board, wanted: Selection, *, page: int = 1, size: int = DEFAULT_SIZE) -> Selected:
    """One page of what is asked for; a page past the end is the last one."""
    shown, collapsed = sift(board, wanted)
    ordered = arrange(shown, wanted.sort)
    pages = max(1, -(-len(ordered) // size))
    page = min(max(page, 1), pages)
    start = (page - 1) * size
    return Selected(
        rows=tuple(ordered[start : start + size]),
        total=len(ordered),
        page=page,
        pages=pages,
        collapsed=tuple(sorted(collapsed.items())),
    )


def sift(board: Board, wanted: Selection) -> tuple[list[Row], Counter[str]]:
    """Rows to show, and how many others match, by the reason why they are not shown."""
    groups, samples = board.groups
    reasons = [wanted.why_not(sample) for sample in samples]
    rows, places = board.rows, list(range(len(board.rows)))
    for check in wanted.checks():
        places = [place for place in places if check(rows[place])]
    shown = [rows[place] for place in places if reasons[groups[place]] is None]
    counts = Counter(map(groups.__getitem__, places))
    collapsed: Counter[str] = Counter()
    for group, number in counts.items():
        reason = reasons[group]
        if reason is not None:
            collapsed[reason] += number
    return shown, collapsed


def arrange(rows: Sequence[Row], sort: Sort) -> Sequence[Row]:
    """Rows in the order asked for; they come most likely first."""
    match sort:
        case Sort.LIKELY:
            return rows
        case Sort.NEWEST:
            return sorted(rows, key=_moment, reverse=True)
        case Sort.OLDEST:
            return sorted(rows, key=_moment)
        case Sort.FOUND:
            return sorted(rows, key=lambda row: row.first_seen_at or _NEVER, reverse=True)
        case Sort.NAME:
            return sorted(rows, key=lambda row: (row.item.pin, row.item.number or 0, row.item.id))


_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(row: Row) -> datetime:
    return row.item.merged_at or row.item.opened_at or _NEVER


def new_rows(board: Board, since: datetime, wanted: Selection) -> list[Row]:
    """Rows that a reader would see and that were first found after a moment, most likely first."""
    shown, _ = sift(board, wanted)
    late = since + timedelta(seconds=1)
    return [row for row in shown if row.first_seen_at is not None and row.first_seen_at >= late]
