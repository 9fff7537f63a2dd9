"""What every page needs: the application, the present board, templates, access, the visit."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from watcher.app import App
from watcher.pipeline.board import Board
from watcher.web.access import READER_COOKIE, Access
from watcher.web.answers import Answers
from watcher.web.fresh import FreshBoard
from watcher.web.guard import KnownHosts
from watcher.web.templates import Templates

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, kw_only=True)
class Site:
    """The parts that routes share."""

    app: App
    access: Access
    hosts: KnownHosts
    boards: FreshBoard
    answers: Answers
    templates: Templates
    heavy: CapacityLimiter
    """Questions that take more than a look at the board: a few at a time, apart from the rest."""
    is_https: bool

    def now(self) -> datetime:
        """The present moment."""
        return self.app.clock.now()

    def board(self) -> Board:
        """All items of all pins."""
        return self.boards.get()

    async def ask(self, question: Callable[[], Outcome]) -> Outcome:
        """Run a slow question on a thread of its own kind."""
        return await run_sync(question, limiter=self.heavy)

    def page(
        self,
        request: Request,
        template: str,
        values: dict[str, object],
        *,
        status: int = 200,
    ) -> Response:
        """A page with what all pages share; sets the reader's cookie where there is none."""
        reader = request.cookies.get(READER_COOKIE, "")
        is_new = not (20 <= len(reader) <= 100 and reader.isascii())
        if is_new:
            reader = secrets.token_urlsafe(24)
        shared: dict[str, object] = {
            "here": request.url.path,
            "address": _address(request),
            "form_token": self.access.form_token(reader),
            "now": self.now(),
            "has_session": self.access.token is not None,
        }
        body = self.templates.render(template, shared | values)
        response = HTMLResponse(body, status_code=status)
        if is_new:
            self.set_cookie(response, READER_COOKIE, reader, 365 * 86_400)
        return response

    def set_cookie(self, response: Response, name: str, value: str, seconds: int) -> None:
        """A cookie that no script reads and no other site sends along with a form."""
        response.set_cookie(
            name, value, max_age=seconds, httponly=True, samesite="lax", secure=self.is_https
        )


def _address(request: Request) -> str:
    """The page's own address on this host, for coming back to it."""
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


def own_address(text: str) -> str:
    """An address on this host to go back to; the front page for anything else."""
    is_own = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable()
    return text[:2_000] if is_own else "/"
