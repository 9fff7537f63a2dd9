"""``/api/v1``: the JSON contract over HTTP, with ETags, described by OpenAPI."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from watcher.errors import UsageError
from watcher.facts.kind import Kind
from watcher.pipeline.asking import Asking
from watcher.pipeline.board import Board
from watcher.pipeline.pinned import NO_MOVES, Moves
from watcher.pipeline.selection import Selection, arrange, sift
from watcher.report.answer import Answer, answer_json
from watcher.report.sections import report_json
from watcher.report.upgrade import upgrade_json
from watcher.web.contract import AnswerModel, CheckRequest, FailureModel, ListRequest, MovesRequest
from watcher.web.failures import NotFoundError
from watcher.web.query import parse_list_query
from watcher.web.site import Site

_FAILURES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": AnswerModel},
    304: {"description": "Unchanged since the ETag that was sent along."},
    400: {"model": FailureModel},
    503: {"model": FailureModel},
}
_MISSING: Final = _FAILURES | {404: {"model": FailureModel}}
_POSTED: Final = {status: told for status, told in _FAILURES.items() if status != 304}

Moved = Annotated[MovesRequest, Query()]


def api_routes(site: Site) -> APIRouter:
    """Pins, list, items, check, upgrade."""
    router = APIRouter(prefix="/api/v1", tags=["watcher/1"])
    _add_pins(router, site)
    _add_list(router, site)
    _add_item(router, site)
    _add_check(router, site)
    _add_upgrade(router, site)
    return router


# --- routes ---


def _add_pins(router: APIRouter, site: Site) -> None:
    @router.get("/pins", responses=_FAILURES)
    def pins(request: Request) -> Response:
        """Where each pin stands."""
        board = site.board()
        answer = Answer(command="pins", generated_at=board.made_at, pins=board.statuses)
        return _cached(request, board.fingerprint, lambda: answer_json(answer))


def _add_list(router: APIRouter, site: Site) -> None:
    @router.get("/list", responses=_FAILURES)
    async def listing(request: Request, wanted: Annotated[ListRequest, Query()]) -> Response:
        """What the pins lack, most likely first; no limit unless one is given."""
        unknown = [name for name in wanted.pin if name not in site.app.pin_names]
        if unknown:
            raise UsageError(f"no pin is named `{unknown[0]}`", where="pin")
        query = parse_list_query(wanted.pairs(), site.app.pin_names)
        moves = _moves(site, wanted)

        def answer() -> Response:
            board = site.board() if moves == NO_MOVES else site.app.board(moves=moves)
            asked = site.answers.with_words(site.board(), query.selection)
            return _cached(
                request,
                board.fingerprint,
                lambda: answer_json(
                    list_answer(board, asked, offset=wanted.offset, limit=wanted.limit)
                ),
            )

        return await site.ask(answer)


def _add_item(router: APIRouter, site: Site) -> None:
    @router.get("/items/{name:path}", responses=_MISSING)
    async def item(request: Request, name: str, asked: Moved) -> Response:
        """The report of one item, ``verl#6463`` (encode the # as %23)."""
        moves = _moves(site, asked)

        def report() -> Mapping[str, object]:
            try:
                if moves == NO_MOVES:
                    answer, told = site.answers.show(site.board(), name)
                else:
                    answer, told = site.app.show(name, moves=moves)
            except UsageError as error:
                raise NotFoundError(error) from error
            return answer_json(answer) | {"report": report_json(told)}

        return await site.ask(lambda: _cached(request, site.board().fingerprint, report))


def _add_check(router: APIRouter, site: Site) -> None:
    @router.post("/check", responses=_POSTED)
    async def check(request: Request, body: CheckRequest) -> Response:
        """Is this symptom known? Nothing of it is stored."""
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            raise HTTPException(415, "send application/json")
        asking = Asking(
            words=body.words,
            log=body.log,
            settings=tuple(body.settings),
            last_good=body.last_good,
            at=tuple(body.at),
            as_of=tuple(body.as_of),
            limit=body.limit,
        )
        answer = await site.ask(lambda: site.app.ask(asking))
        return _json(answer_json(answer))


def _add_upgrade(router: APIRouter, site: Site) -> None:
    @router.get("/upgrade/{pin}", responses=_MISSING)
    async def upgrade(request: Request, pin: str, asked: Moved) -> Response:
        """What each later release and the head would bring and cost."""
        if pin not in site.app.pin_names:
            raise NotFoundError(UsageError(f"no pin is named `{pin}`"))
        moves = _moves(site, asked)

        def told() -> Mapping[str, object]:
            if moves == NO_MOVES:
                answer, upgrade = site.answers.upgrade(site.board(), pin)
            else:
                answer, upgrade = site.app.upgrade(pin, moves=moves, limit=None)
            return upgrade_json(answer, [upgrade])

        return await site.ask(lambda: _cached(request, site.board().fingerprint, told))


# --- answers ---


def list_answer(board: Board, asked: Selection, *, offset: int, limit: int | None) -> Answer:
    """Rows of a board as an answer by the contract."""
    shown, collapsed = sift(board, asked)
    ordered = arrange(shown, asked.sort)
    end = None if limit is None else offset + limit
    beyond = len(ordered) - len(ordered[offset:end])
    if beyond:
        collapsed["beyond the limit"] = beyond
    issues = sum(row.item.kind is Kind.ISSUE for row in board.rows)
    return Answer(
        command="list",
        generated_at=board.made_at,
        pins=board.statuses,
        items=tuple(row.item for row in ordered[offset:end]),
        collapsed=tuple(sorted(collapsed.items())),
        searched_changes=len(board.rows) - issues,
        searched_issues=issues,
    )


def _cached(
    request: Request, fingerprint: str, body: Callable[[], Mapping[str, object]]
) -> Response:
    """The answer with its ETag; 304 when the asker has it already."""
    named = f"{fingerprint}\0{request.url.path}\0{request.url.query}"
    etag = f'W/"{hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()[:32]}"'
    known = {one.strip() for one in request.headers.get("if-none-match", "")[:4_000].split(",")}
    if etag in known:
        return Response(status_code=304, headers={"etag": etag})
    return _json(body(), {"etag": etag})


def _json(body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), media_type="application/json", headers=headers)


def _moves(site: Site, asked: MovesRequest) -> Moves:
    if not (asked.at or asked.as_of):
        return NO_MOVES
    return Moves.parse(asked.at, asked.as_of, site.app.pin_names)
