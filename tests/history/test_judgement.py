"""What an issue really is depends on what landed, not on GitHub's state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts
from watcher.facts.issue import Issue, IssueLink
from watcher.facts.kind import Kind, State
from watcher.facts.links import Links
from watcher.facts.message import Mention, MentionKind, Message
from watcher.history.judgement import Judgement, Landed, Standing, Tie, judge_issue

OPENED = datetime(2026, 4, 13, tzinfo=UTC)


def change(number: int, *, days: int = 40, kind: Kind = Kind.FIX, **said: Any) -> Change:
    message = Message(
        sha=f"{number:040x}",
        committed_at=OPENED + timedelta(days=days),
        subject=f"Change {number}",
        title=f"Change {number}",
        number=number,
        body="",
        raw_body="",
        kind=kind,
        **said,
    )
    return Change(upstream="o/r", branch="main", position=number, message=message, diff=DiffFacts())


def about(number: int, kind: MentionKind = MentionKind.ABOUT) -> tuple[Mention, ...]:
    return (Mention(kind, number, quote=f"related to #{number}"),)


def issue(number: int = 7, **rest: Any) -> Issue:
    values = {"title": "t", "body": "", "opened_at": OPENED, "updated_at": OPENED, **rest}
    return Issue(upstream="o/r", number=number, **values)


def judge(reported: Issue, *changes: Change, **links: Links) -> Judgement:
    return judge_issue(reported, Landed(changes, {one.sha: one for one in links.values()}))


def test_open_on_github_but_mended_by_a_fix_whose_words_name_it():
    judgement = judge(issue(), change(20, mentions=about(7)))

    assert judgement.standing is Standing.MENDED
    assert judgement.mended_by is not None
    assert (judgement.mended_by.number, judgement.mended_by.tie) == (20, Tie.NAMED)
    assert judgement.detail == (
        "mended on the branch by #20 (a fix whose words name this issue: "
        '"related to #7"); still open on GitHub'
    )


def test_a_plain_mention_or_a_feature_mends_nothing():
    plain = change(20, mentions=about(7, MentionKind.PLAIN))
    feature = change(21, kind=Kind.FEATURE, mentions=about(7))

    assert judge(issue(), plain, feature).standing is Standing.OPEN


def test_an_issue_named_in_the_title_of_a_fix_is_mended_by_it():
    named = (Mention(MentionKind.PLAIN, 7, quote="Change 20"),)

    assert judge(issue(), change(20, mentions=named)).standing is Standing.MENDED


def test_closing_words_beat_github_links_and_those_beat_names():
    linked = issue(links=(IssueLink(number=21, state=State.MERGED, closes=True),))
    changes = (
        change(20, days=1, mentions=about(7)),
        change(21, days=2),
        change(22, days=3, closes=(7,)),
    )

    mends = judge(linked, *changes).mends

    assert [mend.number for mend in mends] == [22, 21, 20]


def test_of_several_fixes_the_first_one_is_named_first():
    changes = (change(21, days=11, mentions=about(7)), change(20, days=1, mentions=about(7)))

    assert [mend.number for mend in judge(issue(), *changes).mends] == [20, 21]


def test_what_landed_before_the_issue_was_opened_does_not_mend_it():
    assert judge(issue(), change(20, days=-1, closes=(7,))).standing is Standing.OPEN


def test_a_mend_that_was_reverted_is_none_until_it_lands_again():
    mend = change(20, closes=(7,))
    withdrawn = Links(sha=mend.sha, withdrawn_by="f" * 40)

    judgement = judge(issue(), mend, a=withdrawn)

    assert judgement.standing is Standing.OPEN
    assert judgement.withdrawn == (20,)
    assert "#20 mended it and was reverted" in judgement.detail


def test_the_revert_repeats_its_targets_words_and_mends_nothing():
    mend, revert = change(20, closes=(7,)), change(21, kind=Kind.REVERT, closes=(7,))
    links = Links(sha=mend.sha, withdrawn_by=revert.sha), Links(sha=revert.sha, reverts=(mend.sha,))

    assert judge(issue(), mend, revert, a=links[0], b=links[1]).standing is Standing.OPEN


def test_closed_by_a_bot_is_not_mended():
    closed = issue(state=State.CLOSED, closed_by_bot=True)

    assert judge(closed).standing is Standing.NOT_MENDED
    assert judge(closed, change(20, closes=(7,))).standing is Standing.MENDED


def test_closed_by_hand_is_just_closed_and_says_which_merge_lies_elsewhere():
    link = IssueLink(number=99, state=State.MERGED, closes=True)

    judgement = judge(issue(state=State.CLOSED, links=(link,)))

    assert judgement.standing is Standing.CLOSED
    assert "#99" in judgement.detail


def test_an_open_pull_request_would_mend_it_and_failed_tries_are_told():
    links = (
        IssueLink(number=30, state=State.OPEN, title="[fsdp] fix: it", closes=False),
        IssueLink(number=31, state=State.CLOSED, title="another try", closes=True),
        IssueLink(number=32, state=State.OPEN, title="Release notes", closes=False),
    )

    judgement = judge(issue(links=links))

    assert judgement.standing is Standing.MENDING
    assert judgement.detail == "#30 would mend it and is still open"
    assert (judgement.open_tries, judgement.failed_tries) == ((30,), (31,))


def test_a_pull_request_that_github_calls_closed_but_that_landed_is_no_failed_try():
    link = IssueLink(number=20, state=State.CLOSED, closes=True)

    judgement = judge(issue(links=(link,)), change(20))

    assert judgement.standing is Standing.MENDED
    assert judgement.failed_tries == ()


def test_reopened_after_its_mend_landed_is_open_again():
    reopened = issue(state_reason="reopened")

    judgement = judge(reopened, change(20, closes=(7,)))

    assert judgement.standing is Standing.OPEN
    assert judgement.detail == "opened again after #20 closed it"


def test_a_duplicate_is_what_its_original_is():
    known = {5: issue(5), 6: issue(6, duplicate_of=5)}
    landed = Landed([change(20, closes=(5,))], {})

    judgement = judge_issue(issue(7, duplicate_of=6), landed, known)

    assert (judgement.standing, judgement.original) == (Standing.DUPLICATE, 6)
    assert judgement.mended_by is not None
    assert judgement.mended_by.number == 20


def test_duplicates_in_a_circle_end():
    known = {7: issue(7, duplicate_of=8), 8: issue(8, duplicate_of=7)}

    assert judge_issue(known[7], Landed([], {}), known).standing is Standing.DUPLICATE


def test_closed_as_not_planned_and_closed_without_a_trace_are_told_apart():
    unplanned = issue(state=State.CLOSED, state_reason="not_planned")

    assert judge(unplanned).standing is Standing.NOT_MENDED
    assert judge(issue(state=State.CLOSED)).detail == "closed by hand; no landed change names it"


def test_a_lone_commit_is_named_by_its_sha():
    lone = replace(change(20), message=replace(change(20).message, number=None, closes=(7,)))

    assert "mended on the branch by 000000000" in judge(issue(), lone).detail
