import pytest

from tests.builders import make_row
from watcher.history.equivalents import find_equivalents
from watcher.history.lookup import ChangeIndex, LinkInput, in_order

RELEASE = "release/v1"


def pairs(
    rows: list[LinkInput], patch_ids: dict[str, str] | None = None
) -> dict[str, tuple[list[str], str]]:
    index = ChangeIndex(in_order(rows))
    found = find_equivalents(index, patch_ids or {})
    subjects = [row.message.subject for row in index.changes]
    return {
        subjects[at]: ([subjects[other] for other in others], found.how[at])
        for at, others in found.others.items()
    }


FIX = "[data] fix: keep the tail of short rows (#8)"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("[data] fix: keep the tail of short rows (#9)", "same title"),
        ("[v1.1] fix: keep the tail of short rows (#9)", "same title without its leading tags"),
        ("Cherry-pick [data] fix: keep the tail of short rows (#9)", "same title without"),
        ("[data] fix: keep the tail of sh… (#9)", "same title, cut"),
        ("[data] fix: tail (#8)", "same number #8"),
        ("[data] fix: tail (#8) (#9)", "same number #8"),
        ("[data] fix: tail (#9)\n\nBackport of #8", "its message says it was picked from #8"),
    ],
)
def test_a_pick_on_a_release_branch_is_recognised(text: str, how: str) -> None:
    rows = [make_row(FIX, at=1), make_row(text, at=2, branch=RELEASE)]

    found = pairs(rows)

    pick = rows[1].message.subject
    assert found[FIX][0] == [pick]
    assert found[pick][0] == [FIX]
    assert found[FIX][1].startswith(how)


def test_a_trailer_names_the_picked_commit() -> None:
    fix = make_row(FIX, at=1)
    text = f"[data] fix: tail (#9)\n\n(cherry picked from commit {fix.sha})"

    found = pairs([fix, make_row(text, at=2, branch=RELEASE)])

    assert found[FIX] == (["[data] fix: tail (#9)"], found[FIX][1])
    assert fix.sha[:9] in found[FIX][1]


def test_equal_patches_are_one_change_whatever_number_and_title_say() -> None:
    fix, pick = make_row(FIX, at=1), make_row("[core] fix: other words (#9)", at=2, branch=RELEASE)

    found = pairs([fix, pick], {fix.sha: "p", pick.sha: "p"})

    assert found[FIX] == (["[core] fix: other words (#9)"], "same stable patch-id")


def test_a_pick_may_land_before_the_change_on_the_tracked_line() -> None:
    found = pairs([make_row(FIX.replace("8", "7"), at=1, branch=RELEASE), make_row(FIX, at=3)])

    assert len(found) == 2


def test_two_release_branches_share_one_group() -> None:
    rows = [
        make_row(FIX, at=1),
        make_row("[data] fix: keep the tail of short rows (#9)", at=2, branch=RELEASE),
        make_row("[data] fix: keep the tail of short rows (#10)", at=3, branch="release/v2"),
    ]

    assert len(pairs(rows)[FIX][0]) == 2


@pytest.mark.parametrize(
    "other",
    [
        'Revert "[data] fix: keep the tail of short rows (#8)" (#9)',
        "[data] fix: keep the head of short rows (#9)",
        "[data] fix: x (#9)",
    ],
)
def test_other_changes_are_not_equivalent(other: str) -> None:
    assert pairs([make_row(FIX, at=1), make_row(other, at=2, branch=RELEASE)]) == {}


def test_a_title_that_many_bear_tells_nothing() -> None:
    rows = [make_row(f"[ci] chore: bump the version (#{n})", at=n) for n in range(1, 6)]

    assert pairs([*rows, make_row("[ci] chore: bump the version (#9)", at=9, branch=RELEASE)]) == {}


def test_two_equal_titles_on_the_tracked_line_are_two_changes() -> None:
    assert pairs([make_row(FIX, at=1), make_row(FIX.replace("8", "9"), at=2)]) == {}
