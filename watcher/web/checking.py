"""The check page: a symptom is pasted and answered; nothing of it is kept."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from watcher.errors import RangeError, UsageError
from watcher.facts.item import Item
from watcher.pipeline.asking import Asking
from watcher.pipeline.board import Board, Row
from watcher.pipeline.finding import Finding
from watcher.report.answer import Answer
from watcher.report.headline import headline
from watcher.web.forms import read_form
from watcher.web.guard import LARGEST_LOG
from watcher.web.listing import pick_commands
from watcher.web.site import Site


def check_routes(site: Site) -> APIRouter:
    """The check page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/check")
    def empty(request: Request) -> Response:
        return site.page(request, "check.html", _page(Asking(), None, None))

    @router.post("/check")
    async def check(request: Request) -> Response:
        form = await read_form(site, request)
        asking = Asking(
            words=form.text("words", 2_000),
            log=form.text("log", LARGEST_LOG) or form.text("file", LARGEST_LOG),
            settings=tuple(
                one.strip() for one in form.text("settings", 50_000).splitlines() if one
            ),
            last_good=form.text("last_good", 200).strip(),
        )
        try:
            answer = await site.ask(lambda: site.app.ask(asking))
        except (UsageError, RangeError) as error:
            values = _page(asking, None, None) | {"problem": str(error)}
            return site.page(request, "check.html", values, status=400)
        board = await site.ask(site.board)
        return site.page(request, "check.html", _page(asking, answer, board))

    return router


def _page(asking: Asking, answer: Answer | None, board: Board | None) -> dict[str, object]:
    rows = [_row(item, board) for item in answer.items] if answer else []
    return {
        "problem": "",
        "answer": answer,
        "headline": headline(answer) if answer else "",
        "rows": rows,
        "suspects": [_row(item, board) for item in answer.suspects] if answer else [],
        "picks": pick_commands(rows, board.remotes) if board else {},
        "words": asking.words,
        "log": asking.log,
        "settings": "\n".join(asking.settings),
        "last_good": asking.last_good,
    }


def _row(item: Item, board: Board | None) -> Row:
    """An item of an answer as a row; without a text when it is not on the board."""
    known = board.by_name.get(item.id) if board else None
    if known is None:
        return Row(Finding(item=item), "")
    return Row(Finding(item=item), known.text, known.first_seen_at, known.ignored)
