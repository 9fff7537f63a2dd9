"""The door: who must say who they are, and the form to do so."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from watcher.report.answer import SCHEMA
from watcher.web.access import OPEN_PATHS, SESSION_COOKIE, SESSION_LIFE
from watcher.web.forms import read_form
from watcher.web.site import Site, own_address
from watcher.web.throttle import Throttle


class Door:
    """ASGI middleware: strangers are sent to the form, programs are told to bring a token."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or self._is_let_in(Request(scope)):
            await self._app(scope, receive, send)
            return
        await self._refusal(Request(scope))(scope, receive, send)

    def _is_let_in(self, request: Request) -> bool:
        if request.url.path.startswith(OPEN_PATHS):
            return True
        return self._site.access.reader(request, self._site.now()) is not None

    def _refusal(self, request: Request) -> Response:
        has_form = self._site.access.token is not None
        if has_form and request.method == "GET" and not request.url.path.startswith("/api/"):
            query = request.url.query
            back = request.url.path + (f"?{query}" if query else "")
            return RedirectResponse(f"/login?{urlencode({'back': back})}", status_code=303)
        error = {"what": "not known here", "mend": "send the token: Authorization: Bearer …"}
        headers = {"www-authenticate": "Bearer"} if has_form else {}
        return JSONResponse({"schema": SCHEMA, "error": error}, 401, headers=headers)


def entry_routes(site: Site) -> APIRouter:
    """Log in and out."""
    router = APIRouter(include_in_schema=False)
    throttle = Throttle()

    @router.get("/login")
    def ask(request: Request) -> Response:
        back = own_address(request.query_params.get("back", "/"))
        if site.access.token is None:
            return RedirectResponse("/", status_code=303)
        return site.page(request, "login.html", {"problem": "", "back": back})

    @router.post("/login")
    async def enter(request: Request) -> Response:
        form = await read_form(site, request)
        back = own_address(form.text("back", 2_000))
        if not throttle.admits(site.now()):
            raise HTTPException(429, "too many wrong tokens: wait a minute")
        if not site.access.knows(form.text("token", 1_000).strip()):
            throttle.note_failure(site.now())
            values: dict[str, object] = {"problem": "That is not the token.", "back": back}
            return await run_in_threadpool(site.page, request, "login.html", values, status=403)
        response = RedirectResponse(back, status_code=303)
        seconds = int(SESSION_LIFE.total_seconds())
        site.set_cookie(response, SESSION_COOKIE, site.access.session(site.now()), seconds)
        return response

    @router.post("/logout")
    async def leave(request: Request) -> Response:
        await read_form(site, request)
        response = RedirectResponse("/login", status_code=303)
        response.delete_cookie(SESSION_COOKIE)
        return response

    return router
