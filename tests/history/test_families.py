from collections.abc import Mapping, Sequence

from tests.builders import make_row
from watcher.history.links import link
from watcher.history.lookup import LinkInput

ERROR = 'RuntimeError: tensor on device "cpu" meets storage on another device'


def row(
    name: int, body: str, *, at: int = 0, title: str = "", functions: Sequence[str] = ()
) -> LinkInput:
    title = title or f"[data] fix: mend case {name}"
    return make_row(f"{title} (#{name})\n\n{body}", at=at or name % 100, functions=functions)


def families(
    rows: Sequence[LinkInput], patch_ids: Mapping[str, str] | None = None
) -> dict[int | None, tuple[list[int | None], list[int | None]]]:
    """Number -> (family, related), for changes that have either."""
    number = {row.sha: row.message.number for row in rows}
    return {
        number[links.sha]: ([number[s] for s in links.family], [number[s] for s in links.related])
        for links in link(rows, patch_ids=patch_ids)
        if links.family or links.related
    }


def test_fixes_of_one_issue_and_its_follow_up_are_a_family() -> None:
    found = families(
        [
            row(101, "related to https://github.com/verl-project/verl/issues/9"),
            row(111, "Issue: #9\nSimilar fix: #101"),
            row(150, "Follow-up to #111 for the other engine.\n\nFixes its case of #9."),
            row(140, "Only faster now (see #9)."),
        ]
    )

    assert found[101] == ([101, 111, 150], [140])
    assert found[150] == found[111] == found[101]
    assert found[140] == ([], [101, 111, 150])


def test_the_same_error_in_the_same_function_ties_within_weeks() -> None:
    rows = [
        row(101, f"```\n{ERROR}\n```", functions=["export_weights"]),
        row(110, f"It ends in\n{ERROR} 3", functions=["export_weights", "save"]),
        row(112, f"It ends in\n{ERROR} 3", functions=["forward"]),
    ]

    found = families(rows)

    assert found[101][0] == [101, 110]
    assert found[112] == ([], [101, 110])


def test_the_same_error_long_after_ties_nothing() -> None:
    rows = [
        row(101, ERROR, at=1, functions=["export_weights"]),
        row(110, ERROR, at=90, functions=["export_weights"]),
    ]

    assert [members for members, _ in families(rows).values() if members] == []


def test_common_function_names_and_features_tie_nothing() -> None:
    rows = [
        row(101, ERROR, functions=["__init__"]),
        row(102, ERROR, functions=["__init__"]),
        row(103, "Closes #9", title="[data] feat: new rows"),
        row(104, "Closes #9", title="[data] feat: newer rows"),
    ]

    assert [members for members, _ in families(rows).values() if members] == []


def test_an_issue_that_many_fixes_name_is_a_tracker() -> None:
    assert families([row(100 + n, "Fixes #9") for n in range(1, 12)]) == {}


def test_a_change_picked_or_landed_again_counts_once() -> None:
    first = row(101, "Fixes #9", title="[data] fix: keep the tail of rows")
    undo = row(102, "", title='Revert "[data] fix: keep the tail of rows"')
    again = row(103, "Fixes #9", title="[data] fix: keep the tail of rows")
    last = row(104, "Fixes #9")
    pick = make_row("[x] fix: pick (#105)\n\nBackport of #104", at=105, branch="release/v1")

    found = families([first, undo, again, last, pick])

    assert found[104][0] == [103, 104]
    assert found[105][0] == [103, 104]
    assert found[101][0] == [103, 104]


def test_a_withdrawn_fix_is_no_member() -> None:
    rows = [
        row(101, "Fixes #9", title="[data] fix: keep the tail of rows"),
        row(102, "", title='Revert "[data] fix: keep the tail of rows"'),
        row(104, "Fixes #9"),
    ]

    assert all(not members for members, _ in families(rows).values())


def test_later_changes_that_complete_one_are_its_follow_ups() -> None:
    rows = [row(101, ""), row(102, "Follow-up to #101", title="[data] feat: more")]

    links = {found.sha: found for found in link(rows)}

    assert links[rows[0].sha].follow_ups == (rows[1].sha,)
    assert links[rows[0].sha].family == ()


def test_the_same_bug_named_in_a_shared_function_ties() -> None:
    rows = [
        row(101, "", functions=["export_weights"]),
        row(102, "Same bug as #101", functions=["export_weights"]),
        row(103, "Same bug as #101", functions=["read_rows"]),
    ]

    found = families(rows)

    assert found[101] == ([101, 102], [103])


def test_a_knot_of_many_fixes_is_a_topic_and_no_family() -> None:
    chain = [row(100, "")] + [row(100 + n, f"Follow-up to #{99 + n}") for n in range(1, 16)]

    found = families(chain)

    assert all(not members for members, _ in found.values())
    assert found[105][1] == [104, 106]


def test_chains_of_follow_ups_are_one_family_whatever_ties_come_first() -> None:
    rows = [
        row(101, "Fixes #9"),
        row(102, "Fixes #8"),
        row(103, "Fixes #9\nFollow-up to #102"),
        row(104, "Fixes #8\nFollow-up to #101"),
    ]

    assert families(rows)[101][0] == [101, 102, 103, 104]


def test_a_pick_that_names_its_change_is_not_related_to_itself() -> None:
    fix = row(104, "Fixes #9", title="[data] fix: keep the tail of rows")
    pick = make_row(
        "[data] fix: keep the tail of rows (#105)\n\nsee #104", at=105, branch="release/v1"
    )

    assert families([fix, pick]) == {}
