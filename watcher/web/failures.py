"""Errors -> answers: a page for people, JSON for programs, the status that says whose fault."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from watcher.errors import RangeError, UsageError, WatcherError
from watcher.report.answer import SCHEMA
from watcher.report.escape import one_line
from watcher.web.site import Site

_LOGGER = logging.getLogger(__name__)
_TITLES: Final[Mapping[int, str]] = {
    400: "That cannot be meant",
    401: "Who are you?",
    403: "Not from here",
    404: "Not found",
    405: "Not that way",
    413: "Too large",
    415: "Not in that form",
    500: "Something broke",
    503: "Not able to answer now",
}


class NotFoundError(Exception):
    """What was asked for is not known."""

    def __init__(self, error: WatcherError) -> None:
        super().__init__(str(error))
        self.error = error


def add_failures(app: FastAPI, site: Site) -> None:
    """Have every failure answered in the form that the asker reads."""

    def answer(request: Request, error: Exception) -> Response:
        status, what, mend = told_of(error)
        if status >= 500:
            _LOGGER.error("request failed", extra={"path": request.url.path, "error": what})
        headers = error.headers if isinstance(error, HTTPException) else None
        if request.url.path.startswith("/api/"):
            body = {"schema": SCHEMA, "error": {"what": what, "mend": mend or None}}
            return JSONResponse(body, status_code=status, headers=headers)
        values: dict[str, object] = {
            "title": _TITLES.get(status, "That did not work"),
            "what": what,
            "mend": mend,
        }
        response = site.page(request, "error.html", values, status=status)
        response.headers.update(headers or {})
        return response

    for kind in (WatcherError, NotFoundError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, answer)


def told_of(error: Exception) -> tuple[int, str, str]:
    """Status, what went wrong, and how to mend it."""
    match error:
        case NotFoundError():
            return 404, _what(error.error), error.error.mend
        case UsageError() | RangeError():
            return 400, _what(error), error.mend
        case WatcherError():
            return 503, _what(error), error.mend
        case HTTPException():
            return error.status_code, one_line(str(error.detail)), ""
        case RequestValidationError():
            places = [".".join(map(str, one["loc"][1:])) for one in error.errors()[:3]]
            return 400, one_line(f"cannot be read: {', '.join(places) or 'the body'}"), ""
        case _:
            return 500, "the server's log says more", ""


def _what(error: WatcherError) -> str:
    return one_line(f"{error.where}: {error.what}" if error.where else error.what, 600)
