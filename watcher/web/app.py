"""The web application: pages for people, the contract as an API, both from one ``App``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from anyio import CapacityLimiter
from fastapi import FastAPI
from starlette.middleware import Middleware

from watcher.app import App, template_directory
from watcher.version import package_version
from watcher.web.access import Access
from watcher.web.answers import Answers
from watcher.web.api import api_routes
from watcher.web.checking import check_routes
from watcher.web.deciding import decision_routes
from watcher.web.entry import Door, entry_routes
from watcher.web.failures import add_failures
from watcher.web.fresh import FreshBoard
from watcher.web.guard import Guard, KnownHosts
from watcher.web.health import health_routes
from watcher.web.item import item_routes
from watcher.web.listing import list_routes
from watcher.web.overview import overview_routes
from watcher.web.site import Site
from watcher.web.static_files import static_routes
from watcher.web.templates import Templates
from watcher.web.upgrading import upgrade_routes

_HEAVY_AT_ONCE: Final = 2


def create(app: App, *, host: str | None = None) -> FastAPI:
    """The application on a wired ``App``; ``host`` is the address listened on.

    Raises ConfigError when others can reach that address and nothing asks who they are.
    """
    return assemble(make_site(app, host or app.settings.web.host))


def make_site(app: App, host: str) -> Site:
    """The parts that the pages share. Raises ConfigError."""
    url = app.settings.web.url
    return Site(
        app=app,
        access=Access.of(app.settings, host),
        hosts=KnownHosts.of(app.settings.web, host),
        boards=FreshBoard(app.board, app.clock.now),
        answers=Answers(app),
        templates=Templates(template_directory("web")),
        heavy=CapacityLimiter(_HEAVY_AT_ONCE),
        is_https=bool(url and url.startswith("https://")),
    )


def assemble(site: Site) -> FastAPI:
    """Pages, API and guards on a site."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        site.boards.close()

    api = FastAPI(
        title="watcher",
        version=package_version(),
        description="Which upstream fixes a pinned commit lacks, and which are likely to bite.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        middleware=[
            Middleware(Guard, hosts=site.hosts, is_https=site.is_https),
            Middleware(Door, site=site),
        ],
    )
    for routes in (
        overview_routes, list_routes, item_routes, check_routes, upgrade_routes, decision_routes,
        entry_routes, api_routes, health_routes, static_routes,
    ):  # fmt: skip
        api.include_router(routes(site))
    add_failures(api, site)
    return api
