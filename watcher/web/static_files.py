"""The stylesheet, the script and the mark: small files, read once, kept long by browsers."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from watcher.web.site import Site
from watcher.web.templates import STATIC

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def static_routes(_: Site) -> APIRouter:
    """``/static/NAME``; an address with a version may be kept for good."""
    router = APIRouter(include_in_schema=False)
    files = {path.name: path.read_bytes() for path in STATIC.iterdir() if path.suffix in _TYPES}

    @router.get("/static/{name}")
    async def static(request: Request, name: str) -> Response:
        content = files.get(name)
        if content is None:
            raise HTTPException(404, "no such file")
        is_versioned = "v" in request.query_params
        kept = "public, max-age=31536000, immutable" if is_versioned else "no-cache"
        kind = _TYPES[name[name.rindex(".") :]]
        return Response(content, media_type=kind, headers={"cache-control": kept})

    return router
