from msgspec.structs import replace

from tests.builders import make_change, make_row
from watcher.facts.diff import Role, TouchedFile
from watcher.facts.issue import PullRequestWords
from watcher.facts.kind import State
from watcher.history.links import ReleaseFacts, link
from watcher.history.lookup import in_order, link_input

FIX = "[data] fix: keep the tail of short rows"


def test_a_picked_change_is_first_released_with_its_pick() -> None:
    fix = make_row(f"{FIX} (#8)", at=1)
    pick = make_row(f"{FIX} (#9)", at=2, branch="release/v0.8")
    releases = ReleaseFacts(
        first={fix.sha: "v0.9.0", pick.sha: "v0.8.1"}, order=["v0.8.1", "v0.9.0"]
    )

    found = {links.sha: links for links in link([fix, pick], releases=releases)}

    assert found[fix.sha].first_release == found[pick.sha].first_release == "v0.8.1"
    assert found[fix.sha].equivalents == (pick.sha,)


def test_an_author_names_the_origin_of_a_fault() -> None:
    origin = make_row("[data] feat: pack rows (#51)", at=1)
    fix = make_row("[data] fix: tail (#52)\n\nFixes a leak introduced in #51. See #50.", at=2)

    links = link([origin, fix])[1]

    assert links.named_origins == (origin.sha,)
    assert "introduced in #51" in links.named_origin_quote


def test_only_an_earlier_change_and_only_a_fix_has_a_named_origin() -> None:
    early = make_row("[data] fix: tail (#51)\n\nbroken by #52", at=1)
    late = make_row("[data] feat: x (#52)\n\nuses the pool introduced in #51", at=2)

    assert [links.named_origins for links in link([early, late])] == [(), ()]


def test_a_fix_of_a_change_has_that_change_as_origin() -> None:
    origin = make_row("[data] feat: pack rows (#51)", at=1)
    fix = make_row("[data] fix: tail (#52)\n\nFixes #51", at=2)

    assert link([origin, fix])[1].named_origins == (origin.sha,)


def test_the_origin_of_a_revert_is_what_it_takes_back() -> None:
    rows = [make_row(f"{FIX} (#8)", at=1), make_row(f'Revert "{FIX} (#8)" (#9)', at=2)]

    first, second = link(rows)

    assert second.named_origins == second.reverts == (first.sha,)
    assert first.withdrawn_by == second.sha


def test_a_reland_does_not_blame_its_first_landing() -> None:
    rows = [
        make_row(f"{FIX} (#8)", at=1),
        make_row(f'Revert "{FIX} (#8)" (#9)', at=2),
        make_row(f"{FIX} (#10)\n\n#8 broke the unit tests", at=3),
    ]

    assert link(rows)[2].named_origins == ()


def test_links_do_not_depend_on_the_order_of_the_rows() -> None:
    rows = [
        make_row(f"{FIX} (#8)", at=1),
        make_row(f'Revert "{FIX}" (#9)', at=2),
        make_row(f"{FIX} (#10)", at=3),
        make_row(f"{FIX} (#11)", at=4, branch="release/v1"),
    ]

    assert link(rows) == link(rows[::-1])


def test_positions_go_before_commit_times() -> None:
    late_clock = make_row("[x] fix: one (#1)", at=9)
    rows = [make_row("[x] fix: two (#2)", at=4), late_clock]

    assert [row.message.number for row in in_order(rows)] == [2, 1]


def test_a_row_takes_functions_of_shipped_files_and_what_github_knows() -> None:
    files = (
        TouchedFile(path="a.py", role=Role.SOURCE, functions=("Engine.save", "load")),
        TouchedFile(path="test_a.py", role=Role.TEST, functions=("test_save",)),
    )
    change = make_change(7)
    change = replace(change, diff=replace(change.diff, files=files))
    words = PullRequestWords(
        upstream="acme/engine", number=7, title="t", body="", state=State.MERGED, closes=(3,)
    )

    row = link_input(change, words)

    assert row.functions == {"save", "load"}
    assert row.closes == (3,)
    assert (row.sha, row.position) == (change.sha, 7)


def test_an_ambiguous_or_later_object_name_names_no_change() -> None:
    rows = [
        make_row("[x] fix: early (#1)\n\nbroken by 0000000000a1", at=1),
        replace(make_row("[x] feat: twin (#2)", at=2), sha="0000000000a1" + "0" * 28),
        replace(make_row("[x] feat: twin (#3)", at=3), sha="0000000000a1" + "1" * 28),
        make_row("[x] fix: late (#4)\n\nbroken by 0000000000a1", at=4),
    ]

    assert [links.named_origins for links in link(rows)] == [(), (), (), ()]
