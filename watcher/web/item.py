"""The page of one item: its report with coloured hunks and the ways to get it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from watcher.errors import UsageError
from watcher.pipeline.board import Board
from watcher.report.item_report import ItemReport
from watcher.web.failures import NotFoundError
from watcher.web.markup import markdown_html, patch_view
from watcher.web.site import Site


def item_routes(site: Site) -> APIRouter:
    """The item pages."""
    router = APIRouter(include_in_schema=False)

    @router.get("/item/{name:path}")
    async def item(request: Request, name: str) -> Response:
        return await site.ask(lambda: item_page(site, request, name))

    return router


def item_page(site: Site, request: Request, name: str) -> Response:
    """The report of an item. Raises NotFoundError for what is not known."""
    board = site.board()
    row = board.by_name.get(name)
    report = item_report(site, name, board)
    values: dict[str, object] = {
        "report": report,
        "row": row,
        "motivation": markdown_html(report.motivation),
        "patch": patch_view(report.patch),
    }
    return site.page(request, "item.html", values)


def item_report(site: Site, name: str, board: Board) -> ItemReport:
    """The report of a change, or what the entry of an advisory says."""
    try:
        return site.answers.show(board, name)[1]
    except UsageError as error:
        raise NotFoundError(error) from error
