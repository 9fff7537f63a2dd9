"""Is the process alive, and can it answer: for whoever watches over the service."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from watcher.errors import WatcherError
from watcher.web.site import Site


def health_routes(site: Site) -> APIRouter:
    """``/healthz`` and ``/readyz``; neither tells what is pinned."""
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def alive() -> Response:
        return JSONResponse({"alive": True})

    @router.get("/readyz")
    def ready() -> Response:
        try:
            site.app.store.document("web", "ready")
        except WatcherError:
            return JSONResponse({"ready": False, "why": "the store cannot be read"}, 503)
        return JSONResponse({"ready": True})

    return router
