"""What is known of the ways to a fix -> routes with commands that work as pasted. Pure.

The cheapest safe way comes first: a point release of the pin's own branch, the branch's backport, a
clean pick, then larger steps, and last what needs work by hand.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.diff import Role, TouchedFile
from watcher.facts.item import Route, RouteKind
from watcher.report.item_report import is_compiled
from watcher.report.words import count, short

_PATHS_SHOWN: Final = 4
_ASIDE: Final = frozenset({Role.TEST, Role.DOCS, Role.CI})


class Place(Struct, frozen=True, kw_only=True):
    """Where the commands act: how the upstream is installed and where its commits come from."""

    remote: str
    """Address that git fetches from."""
    package: str | None = None
    """Distribution name when the pin is an installed package; None for a git checkout."""
    site: str | None = None
    """Its site-packages directory, where known."""


class Step(Struct, frozen=True, kw_only=True):
    """A later commit of the upstream that holds the fix."""

    name: str
    """Tag, or the branch of the head."""
    sha: str
    distance: int
    """Changes that it adds to the pin."""
    version: str | None = None
    is_own_branch: bool = False
    """True for a point release of the branch that the pin is on."""
    needs_build: bool = False
    """True when compiled code changes on the way."""
    warnings: tuple[str, ...] = ()


class Backport(Struct, frozen=True, kw_only=True):
    """The fix on the pin's own release branch, after the pin."""

    sha: str
    branch: str
    is_merge: bool = False


class PickOutcome(Struct, frozen=True, kw_only=True):
    """How picking the fix onto the pin went."""

    is_clean: bool = False
    is_empty: bool = False
    conflicts: tuple[str, ...] = ()
    prerequisites: tuple[str, ...] = ()
    """Shas that, picked first, make it clean; oldest first."""
    not_tried: str = ""
    """Why it could not be tried; empty when it was."""


class Ways(Struct, frozen=True, kw_only=True):
    """Everything that the routes of one fix are made from."""

    item: str
    sha: str
    files: tuple[TouchedFile, ...]
    place: Place
    is_merge: bool = False
    release: Step | None = None
    backport: Backport | None = None
    pick: PickOutcome | None = None
    """None when no pick was tried."""
    prerequisite_names: tuple[str, ...] = ()
    prerequisite_files: tuple[TouchedFile, ...] = ()
    head: Step | None = None
    has_patch_files: bool = False
    """True when the user carries patch files that the trial did not know."""


def compose_routes(ways: Ways) -> tuple[Route, ...]:
    """The routes, cheapest safe way first."""
    release = None if ways.release is None else _release_route(ways.release, ways)
    is_point = ways.release is not None and ways.release.is_own_branch
    pick = None if ways.pick is None else _pick_route(ways.pick, ways)
    is_simple = ways.pick is not None and ways.pick.is_clean and not ways.pick.prerequisites
    is_untried = ways.pick is not None and bool(ways.pick.not_tried)
    ordered = (
        release if is_point else None,
        None if ways.backport is None else _backport_route(ways.backport, ways),
        pick if is_simple else None,
        None if is_point else release,
        None if is_simple or is_untried else pick,
        None if ways.head is None else _head_route(ways.head, ways),
        pick if is_untried else None,
    )
    return tuple(route for route in ordered if route is not None)


def pick_command(remote: str, shas: tuple[str, ...], *, has_merge: bool = False) -> str:
    """Fetch the last commit, which brings the others, and pick all in order."""
    mainline = " -m 1" if has_merge else ""
    return (
        f"git fetch {shlex.quote(remote)} {shas[-1]} && "
        f"git cherry-pick -x{mainline} {' '.join(shas)}"
    )


def patch_commands(items: Sequence[str], place: Place) -> tuple[str, ...]:
    """Put the fixes into the installed package one after the other; a file of them when its
    directory is not known.
    """
    shows = [f"watcher show {shlex.quote(item)} --patch" for item in items]
    if place.site is not None:
        return tuple(f"{show} | patch -p1 -d {shlex.quote(place.site)}" for show in shows)
    return tuple(f"{show} {'>>' if at else '>'} fix.patch" for at, show in enumerate(shows))


def step_commands(step: Step, place: Place, *, is_release: bool) -> tuple[str, ...]:
    """How to move the pin to a later commit."""
    if place.package is not None and is_release and step.version is not None:
        return (f"pip install {shlex.quote(f'{place.package}=={step.version}')}",)
    if place.package is not None and "://" in place.remote:
        return (f"pip install {shlex.quote(f'git+{place.remote}@{step.sha}')}",)
    what = f"tag {shlex.quote(step.name)}" if is_release else shlex.quote(step.name)
    end = shlex.quote(step.name) if is_release else step.sha
    return (f"git fetch {shlex.quote(place.remote)} {what} && git checkout {end}",)


def _release_route(step: Step, ways: Ways) -> Route:
    is_wheel = ways.place.package is not None and step.version is not None
    where = " on your pin's own branch" if step.is_own_branch else ""
    return Route(
        kind=RouteKind.RELEASE,
        detail=f"move to {step.name}, the first release after your pin that holds it"
        f"{where} ({_distance(step)})",
        rebuild=step.needs_build and not is_wheel,
        commands=step_commands(step, ways.place, is_release=True),
        warnings=step.warnings,
    )


def _head_route(step: Step, ways: Ways) -> Route:
    return Route(
        kind=RouteKind.UPGRADE,
        detail=f"move to the head of {step.name}, {short(step.sha)} ({_distance(step)})",
        rebuild=step.needs_build,
        commands=step_commands(step, ways.place, is_release=False),
        warnings=step.warnings,
    )


def _distance(step: Step) -> str:
    return f"{count(step.distance, 'change')} after it" if step.distance else "the same fork point"


def _backport_route(backport: Backport, ways: Ways) -> Route:
    return Route(
        kind=RouteKind.BACKPORT,
        detail=f"take {short(backport.sha)}, the backport on your pin's branch {backport.branch}",
        rebuild=is_compiled(ways.files),
        commands=(pick_command(ways.place.remote, (backport.sha,), has_merge=backport.is_merge),),
    )


def _pick_route(pick: PickOutcome, ways: Ways) -> Route:
    if pick.not_tried:
        return _unclean(f"picking {short(ways.sha)} could not be tried: {pick.not_tried}", ways)
    if pick.is_empty:
        return Route(
            kind=RouteKind.CHERRY_PICK,
            detail=f"picking {short(ways.sha)} would change nothing: your pin's code already reads"
            " as it makes it",
        )
    if pick.is_clean:
        return _clean_pick(pick, ways)
    shown = ", ".join(pick.conflicts[:_PATHS_SHOWN])
    more = len(pick.conflicts) - _PATHS_SHOWN
    shown += f" and {more} more" if more > 0 else ""
    return _unclean(f"picking {short(ways.sha)} conflicts in {shown}", ways, pick.conflicts)


def _clean_pick(pick: PickOutcome, ways: Ways) -> Route:
    detail = f"pick {short(ways.sha)} onto your pin: it applies cleanly"
    if pick.prerequisites:
        names = ", ".join(ways.prerequisite_names) or ", ".join(map(short, pick.prerequisites))
        detail = f"pick {names} and then {short(ways.sha)} onto your pin: together they apply"
        detail += " cleanly"
    return Route(
        kind=RouteKind.CHERRY_PICK,
        detail=detail,
        rebuild=is_compiled((*ways.files, *ways.prerequisite_files)),
        commands=_pick_commands(pick, ways),
        prerequisites=pick.prerequisites,
        warnings=_patch_warning(ways),
    )


def _pick_commands(pick: PickOutcome, ways: Ways) -> tuple[str, ...]:
    if ways.place.package is not None:
        return patch_commands([ways.item], ways.place)
    shas = (*pick.prerequisites, ways.sha)
    return (pick_command(ways.place.remote, shas, has_merge=ways.is_merge),)


def _unclean(detail: str, ways: Ways, conflicts: tuple[str, ...] = ()) -> Route:
    roles = {file.path: file.role for file in ways.files}
    warnings = _patch_warning(ways)
    if conflicts and all(roles.get(path) in _ASIDE for path in conflicts):
        warnings = ("only tests, documents or CI files conflict", *warnings)
    return Route(
        kind=RouteKind.CHERRY_PICK,
        detail=detail,
        rebuild=is_compiled(ways.files),
        commands=(pick_command(ways.place.remote, (ways.sha,), has_merge=ways.is_merge),)
        if ways.place.package is None
        else (),
        conflicts=conflicts,
        warnings=warnings,
    )


def _patch_warning(ways: Ways) -> tuple[str, ...]:
    return ("your patch files were not part of the trial",) if ways.has_patch_files else ()
