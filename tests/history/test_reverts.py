from collections.abc import Sequence

from tests.builders import make_row
from watcher.history.lookup import ChangeIndex, LinkInput, in_order
from watcher.history.reverts import find_reverts


def told(rows: Sequence[LinkInput]) -> dict[str, dict[str, str]]:
    """Subject's first word -> what was found, by first words."""
    index = ChangeIndex(in_order(rows))
    found = find_reverts(index)
    names = [row.message.raw_body.split()[-1] for row in index.changes]
    return {
        "reverts": {names[a]: " ".join(names[t] for t in ts) for a, ts in found.targets.items()},
        "withdrawn": {names[a]: names[b] for a, b in found.withdrawn_by.items()},
        "again": {names[a]: names[b] for a, b in found.relanded_as.items()},
    }


def row(name: str, text: str, at: int, branch: str = "main", profile: str = "verl") -> LinkInput:
    """A row whose body ends in its name."""
    joint = "\n" if "\n\n" in text else "\n\n"
    return make_row(f"{text}{joint}{name}", at=at, branch=branch, profile=profile)


FEATURE = "[data] feat: pack short rows together"


def test_a_quoted_title_leads_to_the_nearest_older_change() -> None:
    found = told(
        [
            row("old", f"{FEATURE} (#1)", 1),
            row("new", f"{FEATURE} (#2)", 2),
            row("undo", f'Revert "{FEATURE} (#2)" (#3)', 3),
            row("late", f"{FEATURE} (#4)", 4),
        ]
    )

    assert found["reverts"] == {"undo": "new"}
    assert found["withdrawn"]["new"] == "undo"
    assert found["again"]["new"] == "late"


def test_an_issue_number_in_a_quoted_title_does_not_mislead() -> None:
    found = told(
        [
            row("fix", "[data] fix: keep the tail of rows (#7) (#8)", 1),
            row("undo", 'Revert "[data] fix: keep the tail of rows (#7)" (#9)', 2),
            row("again", "[data] fix: keep the tail of rows (#10)", 3),
        ]
    )

    assert found == {
        "reverts": {"undo": "fix"},
        "withdrawn": {"fix": "undo"},
        "again": {"fix": "again"},
    }


def test_a_body_that_names_a_number_is_enough() -> None:
    found = told(
        [
            row("fix", "[data] fix: keep (#8)", 1),
            row("undo", "[data] chore: take it back (#9)\n\nReverts verl-project/verl#8", 2),
        ]
    )

    assert found["withdrawn"] == {"fix": "undo"}


def test_an_object_name_goes_before_the_title() -> None:
    first = row("first", f"{FEATURE} (#1)", 1)
    found = told(
        [
            first,
            row("second", f"{FEATURE} (#2)", 2),
            row("undo", f'Revert "{FEATURE}" (#3)\n\nThis reverts commit {first.sha[:10]}.', 3),
        ]
    )

    assert found["withdrawn"] == {"first": "undo"}


def test_a_revert_of_a_revert_lets_the_change_stand() -> None:
    found = told(
        [
            row("fix", f"{FEATURE} (#1)", 1),
            row("undo", f'Revert "{FEATURE}" (#2)', 2),
            row("redo", f'Revert "Revert "{FEATURE}"" (#3)', 3),
        ]
    )

    assert found["withdrawn"] == {"undo": "redo"}
    assert found["again"] == {"fix": "redo"}


def test_the_last_of_a_chain_decides() -> None:
    found = told(
        [
            row("fix", f"{FEATURE} (#1)", 1),
            row("undo", f'Revert "{FEATURE}" (#2)', 2),
            row("redo", f'Revert "Revert "{FEATURE}"" (#3)', 3),
            row("undo2", f'Revert "{FEATURE}" (#4)', 4),
        ]
    )

    assert found["withdrawn"]["fix"] == "undo2"


def test_a_reland_under_another_number_is_named() -> None:
    found = told(
        [
            row("fix", "[data] fix: keep the tail (#1)", 1),
            row("undo", 'Revert "[data] fix: keep the tail" (#2)', 2),
            row("again", "[data] fix: keep the tail of all rows (#3)\n\nReland of #1", 3),
        ]
    )

    assert found["withdrawn"] == {"fix": "undo"}
    assert found["again"] == {"fix": "again"}


def test_the_same_number_landed_again_counts_at_its_last_landing() -> None:
    trailer = "\n\nPull Request resolved: https://github.com/pytorch/pytorch/pull/5"
    first = row("first", f"[FSDP2] Fix the mesh (#5){trailer}", 1, profile="pytorch")
    found = told(
        [
            first,
            row(
                "undo",
                f'Revert "[FSDP2] Fix the mesh (#5)"\n\nThis reverts commit {first.sha}.',
                2,
                profile="pytorch",
            ),
            row("last", f"[FSDP2] Fix the mesh (#5){trailer}", 3, profile="pytorch"),
        ]
    )

    assert found["withdrawn"] == {"first": "undo"}
    assert found["again"] == {"first": "last"}


def test_a_title_that_was_cut_still_leads_to_the_change() -> None:
    found = told(
        [
            row(
                "fix", "[Kernel] Skip the wide path when one head is left (#30)", 1, profile="vllm"
            ),
            row("undo", 'Revert "[Kernel] Skip the wide path when one h… (#31)', 2, profile="vllm"),
        ]
    )

    assert found["withdrawn"] == {"fix": "undo"}


def test_one_revert_may_take_back_several() -> None:
    found = told(
        [
            row("a", "[Core] Pool (#101)", 1, profile="vllm"),
            row("b", "[Core] Ring (#102)", 2, profile="vllm"),
            row("undo", "[CI] Revert PRs 101 and 102 (#103)", 3, profile="vllm"),
        ]
    )

    assert found["withdrawn"] == {"a": "undo", "b": "undo"}


def test_a_partial_revert_and_a_mere_mention_withdraw_nothing() -> None:
    found = told(
        [
            row("fix", f"{FEATURE} (#1)", 1),
            row("part", f'Partial revert of "{FEATURE}" (#2)', 2),
            row("talk", "[data] fix: x (#3)\n\nUsers found that reverting #1 restores speed", 3),
            row("hand", "[data] fix: revert the default batch size (#4)", 4),
        ]
    )

    assert found["withdrawn"] == {}


def test_a_revert_on_a_release_branch_does_not_reach_the_tracked_line() -> None:
    found = told(
        [
            row("fix", f"{FEATURE} (#1)", 1),
            row("undo", f'Revert "{FEATURE}" (#2)', 2, branch="release/v1"),
        ]
    )

    assert found["reverts"] == {"undo": "fix"}
    assert found["withdrawn"] == {}


def test_a_title_that_speaks_of_parts_is_still_taken_back_whole() -> None:
    found = told(
        [
            row("fix", "[data] fix: partial load of the parts of rows (#1)", 1),
            row("undo", 'Revert "[data] fix: partial load of the parts of rows" (#2)', 2),
        ]
    )

    assert found["withdrawn"] == {"fix": "undo"}
