"""Ignoring an item with a reason, and taking that back: a form, with or without a script."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from watcher.errors import UsageError
from watcher.ports import Decision
from watcher.report.escape import one_line
from watcher.web.failures import NotFoundError
from watcher.web.forms import Form, read_form
from watcher.web.listing import pick_commands
from watcher.web.site import Site, own_address

_ENDS: Final = frozenset({"", "released", "pin-moves"})


def decision_routes(site: Site) -> APIRouter:
    """The two changes that a reader can make."""
    router = APIRouter(include_in_schema=False)

    @router.post("/ignore")
    async def ignore(request: Request) -> Response:
        form = await read_form(site, request)
        reason = one_line(form.text("reason", 300), 300)
        if not reason:
            raise UsageError("a reason is missing", where="ignore", mend="say why it is put aside")
        return await site.ask(lambda: _decide(site, request, form, "ignored", reason))

    @router.post("/unignore")
    async def unignore(request: Request) -> Response:
        form = await read_form(site, request)
        return await site.ask(lambda: _decide(site, request, form, "open", ""))

    return router


def _decide(site: Site, request: Request, form: Form, state: str, reason: str) -> Response:
    name, until = form.text("item", 200), form.text("until", 20)
    row = site.board().by_name.get(name)
    if row is None:
        raise NotFoundError(UsageError(f"{one_line(name, 80)} is not among the items"))
    if until not in _ENDS:
        raise HTTPException(400, "until when is not one of the choices")
    decision = Decision(
        pin=row.item.pin,
        item=name,
        state=state,
        at=site.now(),
        reason=reason,
        until=until or None,
        by=site.access.reader(request, site.now()) or None,
    )
    site.app.store.save_decision(decision)
    site.boards.expire()
    back = own_address(form.text("back", 2_000))
    if request.headers.get("x-fragment") != "1":
        return RedirectResponse(back, status_code=303)
    board = site.board()
    row = board.by_name.get(name, row)
    pick = pick_commands([row], board.remotes).get(name)
    values: dict[str, object] = {
        "row": row,
        "pick": pick,
        "back": back,
        "form_token": form.text("form_token", 200),
    }
    return HTMLResponse(site.templates.render("row.html", values))
