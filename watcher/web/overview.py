"""The front page: where each pin stands, and what is new since the reader was here."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from watcher.facts.item import Tier
from watcher.pipeline.board import Board, Row
from watcher.pipeline.delivery import unmended_losses
from watcher.pipeline.listing import ListFilter
from watcher.pipeline.selection import Selection, new_rows, sift
from watcher.report.answer import PinStatus
from watcher.web.chart import Chart, missing_chart
from watcher.web.fresh import PerBoard
from watcher.web.site import Site
from watcher.web.visit import VISIT_COOKIE, read_visit

_SHOWN: Final = 8


class PinCard(Struct, frozen=True):
    """One pin on the front page."""

    status: PinStatus
    counts: dict[Tier, int]
    chart: Chart | None


def overview_routes(site: Site) -> APIRouter:
    """The front page."""
    router = APIRouter(include_in_schema=False)
    cards = PerBoard(pin_cards)

    @router.get("/")
    def overview(request: Request) -> Response:
        board = site.board()
        visit = read_visit(request.cookies.get(VISIT_COOKIE, ""), site.now())
        fresh = [] if visit.before is None else new_rows(board, visit.before, Selection())
        shown, _ = sift(board, Selection())
        values: dict[str, object] = {
            "cards": cards.of(board),
            "last_visit": visit.before,
            "fresh": fresh[:_SHOWN],
            "fresh_total": len(fresh),
            "top": shown[:_SHOWN],
            "lost": unmended_losses(site.app.store, site.now()),
        }
        response = site.page(request, "overview.html", values)
        site.set_cookie(response, VISIT_COOKIE, visit.cookie, 365 * 86_400)
        return response

    return router


def pin_cards(board: Board) -> list[PinCard]:
    """A card for each pin, in the order of the configuration."""
    rows: dict[str, list[Row]] = {status.name: [] for status in board.statuses}
    for row in board.rows:
        rows.setdefault(row.item.pin, []).append(row)
    return [
        PinCard(
            status=status,
            counts=_tier_counts(rows[status.name]),
            chart=missing_chart(rows[status.name], status.committed_at, status.known_until),
        )
        for status in board.statuses
    ]


def _tier_counts(rows: list[Row]) -> dict[Tier, int]:
    """How many items of each tier the list shows when asked for that tier."""
    counts = dict.fromkeys(Tier, 0)
    everything = Selection(which=ListFilter(tiers=frozenset(Tier)))
    for row in rows:
        if row.item.tier is not None and everything.why_not(row) is None:
            counts[row.item.tier] += 1
    return counts
