"""The upgrade pages: targets against what each would bring and cost, as a table and a picture."""

from __future__ import annotations

from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from watcher.errors import UsageError
from watcher.facts.item import Tier
from watcher.report.upgrade import TargetReport, Upgrade, advise
from watcher.web.failures import NotFoundError
from watcher.web.site import Site

_PICTURE_WIDTH = 200.0


class TargetBar(Struct, frozen=True):
    """One target with the widths of its bars."""

    target: TargetReport
    is_best: bool
    likely: int
    possible: int
    likely_width: str
    possible_width: str
    caught_width: str


def upgrade_routes(site: Site) -> APIRouter:
    """The choice of a pin, and the page of one."""
    router = APIRouter(include_in_schema=False)

    @router.get("/upgrade")
    def choose(request: Request) -> Response:
        statuses = site.board().statuses
        if len(statuses) == 1:
            return RedirectResponse(f"/upgrade/{statuses[0].name}", status_code=303)
        return site.page(request, "upgrades.html", {"statuses": statuses})

    @router.get("/upgrade/{pin}")
    async def upgrade(request: Request, pin: str) -> Response:
        return await site.ask(lambda: _page(site, request, pin))

    return router


def _page(site: Site, request: Request, pin: str) -> Response:
    if pin not in site.app.pin_names:
        raise NotFoundError(UsageError(f"no pin is named `{pin}`"))
    answer, upgrade = site.answers.upgrade(site.board(), pin)
    values: dict[str, object] = {
        "upgrade": upgrade,
        "advice": advise(upgrade),
        "statuses": answer.pins,
        "bars": target_bars(upgrade),
    }
    return site.page(request, "upgrade.html", values)


def target_bars(upgrade: Upgrade) -> list[TargetBar]:
    """Targets with bars on one scale."""
    best = upgrade.smallest
    gains = [len(one.gained) for one in upgrade.targets]
    most = max([1, *gains, *(len(one.caught) for one in upgrade.targets)])

    def width(number: int) -> str:
        return f"{number / most * _PICTURE_WIDTH:.1f}"

    return [
        TargetBar(
            target=one,
            is_best=best is not None and best.sha == one.sha,
            likely=one.count_gained(Tier.LIKELY),
            possible=one.count_gained(Tier.POSSIBLE),
            likely_width=width(one.count_gained(Tier.LIKELY)),
            possible_width=width(one.count_gained(Tier.POSSIBLE)),
            caught_width=width(len(one.caught)),
        )
        for one in upgrade.targets
    ]
