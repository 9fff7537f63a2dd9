"""Which landed changes a pin carries under another sha."""

from __future__ import annotations

import pytest

from tests.builders import make_change
from watcher.presence.contained import Carried, CarriedCommit, find_contained

TITLE = "[fsdp] fix: keep the tail shard when the actor is offloaded"
CHANGE = make_change(6604, title=TITLE)


def carrying(message: str, **fields: object) -> Carried:
    return Carried([CarriedCommit("c" * 40, message, **fields)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "how"),
    [
        (f"{TITLE} (#7077)", "same title"),
        ("[BugFix][v0.8] keep the tail shard when the actor is offloaded (#7077)", "same title"),
        (f"Backport: {TITLE}", "same title"),
        ("[cherry-pick] mend the shard (#6604) (#7077)", "its number in the title"),
        ("mend the shard (#7077)\n\nCherry-pick of #6604", "its number in the message"),
        ("mend the shard (#7077)\n\n#6604", "its number in the message"),
        (
            f"mend\n\n(cherry picked from commit {CHANGE.sha})",
            "named by its cherry-pick trailer",
        ),
    ],
)
def test_a_pick_is_known_by_title_number_and_trailer(message: str, how: str) -> None:
    found = find_contained(CHANGE, carrying(message))

    assert found is not None
    assert (found.holder, found.how) == ("c" * 40, how)


@pytest.mark.parametrize(
    "message",
    [
        "an unrelated change (#7077)",
        "mend the shard (#7077)\n\nsee also #6604 for the discussion",
        f'Revert "{TITLE} (#6604)" (#7078)',
        "mend the shard (#66040)",
        "",
    ],
)
def test_another_commit_is_no_pick(message: str) -> None:
    assert find_contained(CHANGE, carrying(message)) is None


def test_the_same_patch_counts_whatever_its_title() -> None:
    carried = carrying("quite another title", patch_id="8e2901c4")

    found = find_contained(CHANGE, carried, {CHANGE.sha: "8e2901c4"})

    assert found is not None
    assert found.how == "same patch"


def test_a_patch_file_is_named_as_one() -> None:
    carried = Carried(
        [CarriedCommit("patches/fix.patch", TITLE, patch_id=None, is_patch_file=True)]
    )

    found = find_contained(CHANGE, carried)

    assert found is not None
    assert (found.holder, found.is_patch_file) == ("patches/fix.patch", True)


def test_a_short_title_alone_proves_nothing() -> None:
    assert find_contained(make_change(7, title="Fix typo"), carrying("Fix typo (#9)")) is None


def test_a_pin_without_own_commits_contains_nothing() -> None:
    assert find_contained(CHANGE, Carried([])) is None
