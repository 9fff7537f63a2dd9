"""The query of a list's address <-> what is selected. Pure; whatever an address says is bounded.

Unknown names and values are left out: an old bookmark still opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from enum import StrEnum
from typing import Final, TypeVar
from urllib.parse import urlencode

from msgspec import Struct

from watcher.facts.item import Tier
from watcher.facts.kind import Kind, State
from watcher.facts.presence import Presence
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.selection import DEFAULT_SIZE, PAGE_SIZES, Selection, Sort
from watcher.report.escape import one_line

Choice = TypeVar("Choice", bound=StrEnum)

MULTIPLE: Final = ("pin", "tier", "presence", "kind", "state", "facet")
SINGLE: Final = ("q", "file", "since", "until", "sort", "page", "per", "all", "ignored")
_LONGEST: Final = 200
_MOST_VALUES: Final = 40


class ListQuery(Struct, frozen=True, kw_only=True):
    """A parsed address of a list."""

    pairs: tuple[tuple[str, str], ...]
    """What was kept of the address, in a fixed order."""
    selection: Selection
    page: int
    size: int

    def values(self, name: str) -> tuple[str, ...]:
        """All values of one name."""
        return tuple(value for key, value in self.pairs if key == name)

    def value(self, name: str) -> str:
        """The value of one name, or nothing."""
        return next(iter(self.values(name)), "")

    def has(self, name: str, value: str) -> bool:
        """True when the address says so."""
        return (name, value) in self.pairs

    def address(self, **changes: str | Sequence[str] | int | None) -> str:
        """The same list with some names replaced (None or empty removes), at its first page."""
        kept = [(key, value) for key, value in self.pairs if key not in {*changes, "page"}]
        for name, change in changes.items():
            values = [change] if isinstance(change, str | int) else list(change or ())
            kept += [(name, str(value)) for value in values if str(value)]
        return "/list" + (f"?{urlencode(in_order(kept))}" if kept else "")


def parse_list_query(pairs: Iterable[tuple[str, str]], pin_names: Sequence[str]) -> ListQuery:
    """What an address asks for."""
    kept = in_order(_clean(pairs, pin_names))
    given = {name: [value for key, value in kept if key == name] for name in (*MULTIPLE, *SINGLE)}

    def one(name: str) -> str:
        return given[name][0] if given[name] else ""

    which = ListFilter(
        tiers=_chosen(Tier, given["tier"]),
        kinds=_chosen(Kind, given["kind"]),
        presences=_chosen(Presence, given["presence"]),
        everything=bool(one("all")),
    )
    selection = Selection(
        which=which,
        pins=frozenset(given["pin"]),
        states=_chosen(State, given["state"]),
        facets=frozenset(given["facet"]),
        file=one("file").lower(),
        since=_day(one("since")),
        until=_day(one("until")),
        words=tuple(one("q").lower().split()),
        has_ignored=bool(one("ignored")),
        sort=next(iter(_chosen(Sort, given["sort"])), Sort.LIKELY),
    )
    return ListQuery(
        pairs=tuple(kept),
        selection=selection,
        page=int(one("page") or 1),
        size=int(one("per") or DEFAULT_SIZE),
    )


def in_order(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs in the order of the names, each once, so that one list has one address."""
    order = {name: place for place, name in enumerate((*MULTIPLE, *SINGLE))}
    return sorted(dict.fromkeys(pairs), key=lambda pair: order.get(pair[0], len(order)))


def _clean(pairs: Iterable[tuple[str, str]], pin_names: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs that mean something, bounded in number and length; the last of a single wins."""
    many: list[tuple[str, str]] = []
    single: dict[str, str] = {}
    for name, raw in pairs:
        value = one_line(raw, _LONGEST)
        if not value or not _is_meant(name, value, pin_names):
            continue
        if name in SINGLE:
            single[name] = value
        elif len(many) < _MOST_VALUES:
            many.append((name, value))
    return [*many, *single.items()]


def _is_meant(name: str, value: str, pin_names: Sequence[str]) -> bool:
    allowed: dict[str, Iterable[str]] = {
        "pin": pin_names,
        "tier": Tier,
        "presence": Presence,
        "kind": Kind,
        "state": State,
        "sort": Sort,
        "per": map(str, PAGE_SIZES),
        "all": ("1",),
        "ignored": ("1",),
    }
    if name in allowed:
        return value in list(allowed[name])
    if name in {"since", "until"}:
        return _day(value) is not None
    if name == "page":
        return value.isascii() and value.isdigit() and len(value) <= 6
    return name in {"q", "file", "facet"}


def _chosen(kind: type[Choice], values: Iterable[str]) -> frozenset[Choice]:
    return frozenset(kind(value) for value in values)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
