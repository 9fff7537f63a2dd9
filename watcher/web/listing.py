"""The list: every filter in the address, one page of rows, and what is not shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from watcher.facts.item import Item, Tier
from watcher.facts.kind import Kind, State
from watcher.facts.presence import Presence
from watcher.pipeline.board import Row
from watcher.pipeline.listing import SHOWN_KINDS
from watcher.pipeline.selection import PAGE_SIZES, Sort, select
from watcher.report.routes import pick_command
from watcher.web.query import ListQuery, parse_list_query
from watcher.web.site import Site

Change = str | Sequence[str] | int | None
"""What replaces a name in an address."""
_SORTS: Final = (
    (Sort.LIKELY.value, "most likely first"),
    (Sort.NEWEST.value, "newest landed first"),
    (Sort.OLDEST.value, "oldest landed first"),
    (Sort.FOUND.value, "newest found first"),
    (Sort.NAME.value, "by name"),
)
_FACETS_OFFERED: Final = 80
_ARRANGING: Final = frozenset({"q", "sort", "page", "per"})
"""Names of an address that do not filter by what an item is."""


def list_routes(site: Site) -> APIRouter:
    """The list."""
    router = APIRouter(include_in_schema=False)

    @router.get("/list")
    def listing(request: Request) -> Response:
        board = site.board()
        query = parse_list_query(request.query_params.multi_items(), site.app.pin_names)
        wanted = site.answers.with_words(board, query.selection)
        selected = select(board, wanted, page=query.page, size=query.size)
        values: dict[str, object] = {
            "query": query,
            "selection": query.selection,
            "selected": selected,
            "statuses": board.statuses,
            "reasons": {reason: lifted(query, reason) for reason, _ in selected.collapsed},
            "picks": pick_commands(selected.rows, board.remotes),
            "facets": board.facets[:_FACETS_OFFERED],
            "has_filters": any(name not in _ARRANGING for name, _ in query.pairs),
            "sizes": PAGE_SIZES,
            "sorts": _SORTS,
            "pin_names": site.app.pin_names,
            "tier_names": [one.value for one in Tier],
            "presence_names": [one.value for one in Presence],
            "kind_names": [one.value for one in Kind],
            "state_names": [one.value for one in State],
        }
        return site.page(request, "list.html", values)

    return router


def lifted(query: ListQuery, reason: str) -> str:
    """The address of the list of what is not shown for a reason, other filters as they are."""
    others = [one.value for one in Kind if one not in SHOWN_KINDS]
    all_tiers = [one.value for one in Tier]
    reports: dict[str, Change] = {"kind": Kind.ISSUE.value, "all": "1"}
    changes: dict[str, dict[str, Change]] = {
        "ignored": {"ignored": "1"},
        "contained": {"presence": reason, "tier": all_tiers},
        "withdrawn": {"presence": reason, "tier": all_tiers},
        "absent": {"presence": reason, "tier": all_tiers},
        "of other presence": {"presence": None},
        "of other kinds": {"kind": None},
        "of other tiers": {"tier": None},
        "unlikely": {"tier": reason},
        "not fixes": {"kind": others, "all": "1"},
        "reports of listed mends": reports,
        "duplicates": reports,
        "closed reports": reports,
    }
    return query.address(**changes.get(reason, {"all": "1"}))


def pick_commands(rows: Iterable[Row], remotes: Mapping[str, str]) -> dict[str, str]:
    """Item name -> the command that picks it, for what landed and is not in the pin."""
    picks = {}
    for row in rows:
        item = row.item
        if can_pick(item) and item.pin in remotes and item.sha is not None:
            picks[item.id] = pick_command(remotes[item.pin], (item.sha,))
    return picks


def can_pick(item: Item) -> bool:
    """True for a landed change that the pin does not have."""
    is_gone = item.presence in {Presence.CONTAINED, Presence.WITHDRAWN}
    return item.sha is not None and not is_gone
