"""What a verdict says, and which of its sources comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.builders import make_change
from tests.presence.stories import Tree, code, story, told
from watcher.facts.change import Change
from watcher.facts.diff import OriginRecord
from watcher.facts.links import Links
from watcher.facts.presence import Presence, Verdict
from watcher.presence.contained import Containment
from watcher.presence.landed import landed_line
from watcher.presence.lineage import Lineage
from watcher.presence.verdict import PinView, judge

PATH = "engine/core.py"
OLD = code("""
def offload(model):
    for shard in model.shards:
        move_to_cpu(shard)
    release_unused_memory()
""")
FAULT = code("""
def offload(model):
    for shard in model.shards:
        shard.copy_to_host_buffer(non_blocking=True)
    release_unused_memory()
""")
MENDED = code("""
def offload(model):
    for shard in model.shards:
        shard.copy_to_host_buffer(non_blocking=True)
        wait_for_stream(shard.device)
    release_unused_memory()
""")
REWRITTEN = code("""
def offload(model):
    for shard in model.shards:
        blocking_transfer_of(shard)
    release_unused_memory()
""")


def changes_of(*trees: Tree) -> list[Change]:
    """One change a tree, numbered from 100, with its origins recorded."""
    return [
        make_change(100 + at, position=at, origins=applied.record)
        for at, applied in enumerate(told(Lineage(), story(*trees)))
    ]


def files(*states: Sequence[str]) -> list[Mapping[str, Sequence[str]]]:
    return [{PATH: state} for state in states]


def verdict_at(
    position: int, changes: Sequence[Change], links: Links | None = None, **pin: int | bool
) -> Verdict:
    view = PinView(position, **pin)  # type: ignore[arg-type]
    return judge(changes[-1], links, view, landed_line(changes))


FEATURE_BREAKS = changes_of(*files(OLD, FAULT, REWRITTEN))


def test_the_fix_of_a_later_feature_is_absent_before_it() -> None:
    verdict = verdict_at(0, FEATURE_BREAKS)

    assert verdict.presence is Presence.ABSENT
    assert verdict.detail.startswith("the code that it changes was not at your pin in this form")


def test_the_fix_is_present_once_the_feature_is_in_the_pin() -> None:
    verdict = verdict_at(1, FEATURE_BREAKS)

    assert verdict.presence is Presence.PRESENT
    assert verdict.detail == (
        "the code that it changes is at your pin; probably brought by #101, 2026-01-05"
    )
    assert verdict.introduced_by == FEATURE_BREAKS[1].sha
    assert not verdict.introduced_is_named
    assert verdict.lines == (f"{PATH}: shard.copy_to_host_buffer(non_blocking=True)",)


def test_the_fix_itself_and_all_after_it_are_contained() -> None:
    assert verdict_at(2, FEATURE_BREAKS).presence is Presence.CONTAINED


def test_a_pure_addition_speaks_of_the_lines_beside_it() -> None:
    changes = changes_of(*files(OLD, FAULT, MENDED))

    assert verdict_at(1, changes).detail.startswith("the lines beside what it adds are at your pin")
    assert verdict_at(0, changes).presence is not Presence.PRESENT


def test_what_brings_deleted_code_back_is_absent_where_it_still_stood() -> None:
    long_old = [*OLD[:3], "        synchronize_streams(shard)", OLD[3]]
    changes = changes_of(*files(long_old, FAULT, long_old))

    verdict = verdict_at(0, changes)

    assert verdict.presence is Presence.ABSENT
    assert verdict_at(1, changes).presence is Presence.PRESENT


def test_a_one_line_change_undone_is_absent_before_it() -> None:
    version = ['VERSION = "engine-0.4.0-final"']
    bumped = ['VERSION = "engine-0.4.1-final"']
    changes = changes_of(*files(version, bumped, version))

    assert verdict_at(0, changes).detail.startswith("brings back code that was still there")
    assert verdict_at(1, changes).presence is Presence.PRESENT


def test_a_caller_that_follows_a_newer_interface_is_absent_before_it() -> None:
    caller = code("""
def run(runner):
    return forward(runner.input_ids)
""")
    adapted = code("""
def run(runner):
    return forward(runner.input_ids.gpu)
""")
    interface = code("""
def setup(runner):
    runner.input_ids = make_buffer()
    runner.input_ids.gpu.zero_()
""")
    changes = changes_of(
        {"engine/call.py": caller},
        {"engine/call.py": caller, "engine/runner.py": interface},
        {"engine/call.py": adapted, "engine/runner.py": interface},
    )

    before = verdict_at(0, changes)

    assert before.presence is Presence.ABSENT
    assert before.detail == (
        "its new lines use input_ids.gpu, which came after your pin; "
        "probably brought by #101, 2026-01-05"
    )
    assert verdict_at(1, changes).presence is Presence.PRESENT


@pytest.mark.parametrize(
    ("tree", "presence", "words"),
    [
        ({PATH: OLD, "engine/new.py": ["x = 1"]}, Presence.UNKNOWN, "new files only"),
        ({PATH: OLD, "docs/guide.md": ["words"]}, Presence.UNKNOWN, "no shipped code"),
        ({PATH: OLD, "tests/test_core.py": ["check()"]}, Presence.UNKNOWN, "test files only"),
    ],
)
def test_what_the_lines_cannot_tell_is_unknown_with_its_reason(
    tree: Tree, presence: Presence, words: str
) -> None:
    changes = changes_of({PATH: OLD}, tree)

    verdict = verdict_at(0, changes)

    assert verdict.presence is presence
    assert words in verdict.detail


def test_new_files_in_a_folder_newer_than_the_pin_are_absent() -> None:
    first = {PATH: OLD}
    second = {**first, "engine/veomni/a.py": ["value = 1"]}
    third = {**second, "engine/veomni/b.py": ["value = 2"]}

    nested = {**second, "engine/veomni/deep/er.py": ["value = 2"]}

    changes = changes_of(first, second, third)

    assert verdict_at(0, changes_of(first, second, nested)).presence is Presence.ABSENT
    assert verdict_at(0, changes).presence is Presence.ABSENT
    assert verdict_at(1, changes).presence is Presence.UNKNOWN


def test_an_author_who_names_the_origin_decides() -> None:
    changes = changes_of(*files(OLD, FAULT, REWRITTEN))
    links = Links(sha=changes[-1].sha, named_origins=(changes[0].sha,))

    assert verdict_at(0, changes).presence is Presence.ABSENT
    named = verdict_at(0, changes, links)
    assert named.presence is Presence.PRESENT
    assert named.detail == "its author says #100 brought the bug; #100 is in your pin"
    assert named.introduced_is_named


def test_code_only_leaves_out_what_authors_say() -> None:
    links = Links(sha=FEATURE_BREAKS[-1].sha, named_origins=(FEATURE_BREAKS[0].sha,))

    assert verdict_at(0, FEATURE_BREAKS, links, code_only=True) == verdict_at(0, FEATURE_BREAKS)


def test_a_revert_is_absent_before_what_it_takes_back() -> None:
    links = Links(sha=FEATURE_BREAKS[-1].sha, reverts=(FEATURE_BREAKS[1].sha,))

    assert (
        verdict_at(0, FEATURE_BREAKS, links).detail == "it takes back #101; #101 is after your pin"
    )
    assert verdict_at(1, FEATURE_BREAKS, links).presence is Presence.PRESENT


def test_contained_comes_before_withdrawn_and_withdrawn_before_the_lines() -> None:
    change, revert = FEATURE_BREAKS[1], FEATURE_BREAKS[2]
    links = Links(sha=change.sha, withdrawn_by=revert.sha)
    line = landed_line(FEATURE_BREAKS)
    holder = Containment("f" * 40, "same title")

    withdrawn = judge(change, links, PinView(0), line)
    contained = judge(change, links, PinView(0), line, holder)

    assert (withdrawn.presence, withdrawn.withdrawn_by) == (Presence.WITHDRAWN, revert.sha)
    assert withdrawn.detail == "reverted by #102"
    assert (contained.presence, contained.withdrawn_by) == (Presence.CONTAINED, revert.sha)
    assert contained.detail.startswith("your pin already has it, as fffffffff (same title)")


def test_a_revert_after_the_head_that_is_looked_at_does_not_exist_yet() -> None:
    change, revert = FEATURE_BREAKS[1], FEATURE_BREAKS[2]
    links = Links(sha=change.sha, withdrawn_by=revert.sha)

    verdict = judge(change, links, PinView(0, until=1), landed_line(FEATURE_BREAKS))

    assert verdict.presence is not Presence.WITHDRAWN


def test_a_change_of_a_release_branch_is_unknown_unless_carried() -> None:
    change = make_change(7, position=None)

    assert judge(change, None, PinView(3), landed_line([])).presence is Presence.UNKNOWN


@pytest.mark.parametrize("payload", ["", "[]", "{", '{"r":[["x"]]}', '{"b":["y"]}', "null"])
def test_an_unreadable_record_supports_no_verdict(payload: str) -> None:
    change = make_change(7, position=5, origins=OriginRecord(scope="code", payload=payload))

    assert judge(change, None, PinView(3), landed_line([change])).presence is Presence.UNKNOWN
