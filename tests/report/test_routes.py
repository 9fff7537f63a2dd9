"""Routes are composed from what is known: order, commands, warnings."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from watcher.facts.diff import Role, TouchedFile
from watcher.facts.item import RouteKind
from watcher.report.routes import Backport, PickOutcome, Place, Step, Ways, compose_routes

SHA, OTHER = "a" * 40, "b" * 40
RELEASE = Step(name="v1.1", sha=OTHER, distance=30, version="1.1")
HEAD = Step(name="main", sha="c" * 40, distance=40)
CHECKOUT = Place(remote="https://example.org/acme/engine.git")
WHEEL = Place(remote=CHECKOUT.remote, package="engine", site="/env/site packages")


def ways(**known: Any) -> Ways:
    files = (TouchedFile(path="engine/core.py", role=Role.SOURCE),)
    return Ways(**{"item": "engine#7", "sha": SHA, "files": files, "place": CHECKOUT, **known})


def kinds(given: Ways) -> list[RouteKind]:
    return [one.kind for one in compose_routes(given)]


@pytest.mark.parametrize(
    ("pick", "expected"),
    [
        (PickOutcome(is_clean=True), ["backport", "cherry-pick", "release", "upgrade"]),
        (
            PickOutcome(is_clean=True, prerequisites=(OTHER,)),
            ["backport", "release", "cherry-pick", "upgrade"],
        ),
        (
            PickOutcome(conflicts=("engine/core.py",)),
            ["backport", "release", "cherry-pick", "upgrade"],
        ),
        (
            PickOutcome(not_tried="it is not in the mirror"),
            ["backport", "release", "upgrade", "cherry-pick"],
        ),
        (None, ["backport", "release", "upgrade"]),
    ],
    ids=["clean", "prerequisites", "conflict", "not tried", "no trial"],
)
def test_the_cheapest_safe_way_comes_first(pick: PickOutcome | None, expected: list[str]) -> None:
    backport = Backport(sha=OTHER, branch="release/v1.0")
    given = ways(release=RELEASE, backport=backport, pick=pick, head=HEAD)

    assert kinds(given) == expected


def test_a_wheel_moves_by_pip_and_needs_no_build() -> None:
    built = Step(name="v1.1", sha=OTHER, distance=3, version="1.1", needs_build=True)
    release, head = compose_routes(ways(place=WHEEL, release=built, head=HEAD))

    assert release.commands == ("pip install engine==1.1",)
    assert not release.rebuild
    assert head.commands == (f"pip install git+https://example.org/acme/engine.git@{HEAD.sha}",)


def test_a_checkout_says_rebuild_when_compiled_code_changes_on_the_way() -> None:
    built = Step(name="v1.1", sha=OTHER, distance=3, version="1.1", needs_build=True)

    assert compose_routes(ways(release=built))[0].rebuild


@pytest.mark.parametrize("remote", ["/a b/c", "https://h/x;rm -rf y", "it's", "$(id)"])
def test_addresses_are_quoted(remote: str) -> None:
    given = ways(place=Place(remote=remote), pick=PickOutcome(is_clean=True))
    command = compose_routes(given)[0].commands[0]

    assert shlex.split(command)[2] == remote


def test_a_merge_is_picked_along_its_first_parent() -> None:
    given = ways(is_merge=True, pick=PickOutcome(is_clean=True))

    assert " -m 1 " in compose_routes(given)[0].commands[0]


def test_conflicts_in_tests_alone_and_patch_files_are_told() -> None:
    files = (TouchedFile(path="tests/test_core.py", role=Role.TEST),)
    pick = PickOutcome(conflicts=("tests/test_core.py",))
    route = compose_routes(ways(files=files, pick=pick, has_patch_files=True))[0]

    assert route.warnings == (
        "only tests, documents or CI files conflict",
        "your patch files were not part of the trial",
    )


def test_a_pick_that_changes_nothing_has_no_command() -> None:
    route = compose_routes(ways(pick=PickOutcome(is_clean=True, is_empty=True)))[0]

    assert route.commands == ()
    assert "would change nothing" in route.detail
