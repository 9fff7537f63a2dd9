"""Looks at the situation that a digest is made from: findings, decisions, patches, lost mail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from watcher.digest.compose import is_ignored, may_bite
from watcher.digest.record import Decided, Scene
from watcher.facts.item import Item
from watcher.pipeline.assess import Assessor
from watcher.pipeline.decisions import Ruling
from watcher.pipeline.delivery import lost_deliveries
from watcher.pipeline.finding import Finding
from watcher.pipeline.items import by_likeliness
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.route_finders import RouteFinders, with_all_routes
from watcher.report.answer import PinStatus
from watcher.settings import Settings


class SceneSources(Struct, frozen=True, kw_only=True):
    """What the situation is read from."""

    settings: Settings
    pins: Sequence[Pinned]
    statuses: Sequence[PinStatus]
    assessor: Assessor
    others: Iterable[Finding]
    """Hazards and bug reports."""
    rulings: Mapping[str, Ruling]
    routes: RouteFinders


def look(sources: SceneSources, now: datetime) -> Scene:
    """The situation now."""
    settings, assessor = sources.settings, sources.assessor
    found = [each for each in sources.others if each.collapsed is None]
    patched: dict[str, str] = {}
    for one, pin, horizon in resolved(sources.pins):
        mine = assessor.findings(one, pin, horizon)
        contained = assessor.carried.contained(one, pin, horizon)
        found += mine
        for each in mine:
            carried = contained.get(each.item.sha or "")
            if carried is not None and carried.is_patch_file:
                patched[each.item.id] = carried.holder
    scene = Scene(
        now=now,
        day=now.astimezone(ZoneInfo(settings.digest.timezone)).date(),
        items=tuple(by_likeliness(each.item for each in found)),
        statuses=tuple(sources.statuses),
        decided={name: _decided(one) for name, one in sources.rulings.items()},
        patched=patched,
        given_up={
            one.key: one.error or "no reason is known"
            for one in lost_deliveries(assessor.store, now)
        },
        tier=settings.digest.tier,
        limit=settings.digest.limit,
        address=address_of(settings),
    )
    return _with_routes(scene, sources)


def address_of(settings: Settings) -> str:
    """Base address of the pages, for links in messages."""
    web = settings.web
    host = f"[{web.host}]" if ":" in web.host else web.host
    return web.url or f"http://{host}:{web.port}"


def _with_routes(scene: Scene, sources: SceneSources) -> Scene:
    watched = [
        item
        for item in scene.items
        if may_bite(item, scene.tier) and not is_ignored(item.id, scene)
    ]
    if not watched:
        return scene
    finders = sources.routes.make(sources.pins, tuple({one.pin for one in watched}))
    routed = with_all_routes(watched, finders, tried=scene.limit)
    ways: dict[str, Item] = {one.id: one for one in routed}
    return replace(scene, items=tuple(ways.get(one.id, one) for one in scene.items))


def _decided(ruling: Ruling) -> Decided:
    return Decided(is_ignored=ruling.is_ignored, phrase=ruling.phrase, ended=ruling.ended)
