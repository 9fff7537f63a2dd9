"""Ignoring an item with a reason, and taking that back: a form, with or without a script."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from watcher.errors import UsageError
from watcher.pipeline.decisions import Wish, parse_until
from watcher.report.escape import one_line
from watcher.web.failures import NotFoundError
from watcher.web.forms import Form, read_form
from watcher.web.listing import pick_commands
from watcher.web.site import Site, own_address


def decision_routes(site: Site) -> APIRouter:
    """The two changes that a reader can make."""
    router = APIRouter(include_in_schema=False)

    @router.post("/ignore")
    async def ignore(request: Request) -> Response:
        form = await read_form(site, request)
        until = parse_until(form.text("until", 20), site.now().date())
        wish = Wish(reason=form.text("reason", 300), until=until, by=_who(site, request))
        return await site.ask(
            lambda: _decided(site, request, form, lambda name: site.app.ignore(name, wish))
        )

    @router.post("/unignore")
    async def unignore(request: Request) -> Response:
        form = await read_form(site, request)
        who = _who(site, request)
        return await site.ask(
            lambda: _decided(site, request, form, lambda name: site.app.unignore(name, who))
        )

    return router


def _who(site: Site, request: Request) -> str | None:
    return site.access.reader(request, site.now()) or None


def _decided(site: Site, request: Request, form: Form, decide: Callable[[str], object]) -> Response:
    """Decide about the item of a form; then the row anew, or the page that it came from."""
    name = form.text("item", 200)
    row = site.board().by_name.get(name)
    if row is None:
        raise NotFoundError(UsageError(f"{one_line(name, 80)} is not among the items"))
    decide(name)
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
