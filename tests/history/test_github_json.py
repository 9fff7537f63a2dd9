"""GitHub's JSON becomes facts, and odd JSON becomes defaults."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watcher.facts.issue import IssueLink
from watcher.facts.kind import State
from watcher.history.github_json import parse_issue, parse_words, with_links

UPSTREAM = "verl-project/verl"
TIMES = {"createdAt": "2026-04-13T10:00:00Z", "updatedAt": "2026-05-01T00:00:00Z"}


def pull(number: int, state: str = "MERGED", name: str = UPSTREAM) -> dict[str, object]:
    return {
        "__typename": "PullRequest",
        "number": number,
        "title": f"fix {number}",
        "state": state,
        "merged": state == "MERGED",
        "repository": {"nameWithOwner": name},
    }


def issue_with(*events: dict[str, object], **rest: object) -> dict[str, object]:
    return {"number": 7, "title": "t", "timelineItems": {"nodes": list(events)}, **TIMES, **rest}


def test_a_rest_issue_and_a_graphql_issue_read_the_same():
    graph = {
        "number": 7,
        "title": "t",
        "body": "b",
        "state": "CLOSED",
        "stateReason": "NOT_PLANNED",
    }
    rest = {
        "number": 7,
        "title": "t",
        "body": "b",
        "state": "closed",
        "state_reason": "not_planned",
    }
    labels = {"labels": {"nodes": [{"name": "bug"}]}}, {"labels": [{"name": "bug"}]}
    times = {"created_at": TIMES["createdAt"], "updated_at": TIMES["updatedAt"]}

    assert parse_issue({**graph, **labels[0], **TIMES}, UPSTREAM) == parse_issue(
        {**rest, **labels[1], **times}, UPSTREAM
    )


def test_links_come_from_mentions_connections_closings_and_closing_references():
    value = issue_with(
        {
            "__typename": "CrossReferencedEvent",
            "willCloseTarget": False,
            "source": pull(1, "CLOSED"),
        },
        {"__typename": "CrossReferencedEvent", "willCloseTarget": True, "source": pull(2, "OPEN")},
        {
            "__typename": "ConnectedEvent",
            "source": {"__typename": "Issue", "number": 7},
            "subject": pull(3),
        },
        {"__typename": "ClosedEvent", "closer": pull(4), "actor": {"login": "x"}},
        closedByPullRequestsReferences={"nodes": [pull(5, "OPEN")]},
    )

    issue = parse_issue(value, UPSTREAM)

    assert issue is not None
    assert [(link.number, link.state, link.closes) for link in issue.links] == [
        (1, State.CLOSED, False),
        (2, State.OPEN, True),
        (3, State.MERGED, True),
        (4, State.MERGED, True),
        (5, State.OPEN, True),
    ]
    assert issue.linked_numbers == (1, 2, 3, 4, 5)


def test_a_connection_taken_back_is_a_mere_mention():
    end = {"source": pull(3), "subject": {"__typename": "Issue", "number": 7}}
    value = issue_with(
        {"__typename": "ConnectedEvent", **end}, {"__typename": "DisconnectedEvent", **end}
    )

    issue = parse_issue(value, UPSTREAM)

    assert issue is not None
    assert not issue.links[0].closes


def test_pull_requests_of_other_repositories_are_no_links():
    event = {"__typename": "CrossReferencedEvent", "source": pull(1, name="other/repo")}

    issue = parse_issue(issue_with(event), UPSTREAM)

    assert issue is not None
    assert issue.links == ()


def test_the_last_duplicate_mark_that_stands_counts():
    marked = {
        "__typename": "MarkedAsDuplicateEvent",
        "canonical": {"number": 5, "repository": {"nameWithOwner": UPSTREAM}},
    }
    unmarked = {"__typename": "UnmarkedAsDuplicateEvent"}

    one, other = (
        parse_issue(issue_with(marked), UPSTREAM),
        parse_issue(issue_with(marked, unmarked), UPSTREAM),
    )

    assert one is not None
    assert one.duplicate_of == 5
    assert other is not None
    assert other.duplicate_of is None


@pytest.mark.parametrize(
    ("actor", "closer", "is_bot"),
    [
        ({"__typename": "Bot", "login": "github-actions"}, None, True),
        ({"__typename": "User", "login": "stale[bot]"}, None, True),
        ({"__typename": "User", "login": "someone"}, None, False),
        ({"__typename": "Bot", "login": "github-actions"}, pull(9), False),
    ],
)
def test_closed_by_a_bot_alone_is_told_apart(actor: object, closer: object, is_bot: bool):
    event: dict[str, object] = {"__typename": "ClosedEvent", "actor": actor, "closer": closer}

    issue = parse_issue(issue_with(event, state="CLOSED"), UPSTREAM)

    assert issue is not None
    assert issue.closed_by_bot is is_bot


def test_words_keep_labels_closed_issues_and_what_reviewers_said_in_vain():
    value = {
        **pull(6463),
        "body": "related to #5995",
        "baseRefName": "main",
        "labels": {"nodes": [{"name": "fsdp"}]},
        "closingIssuesReferences": {"nodes": [{"number": 5995, **TIMES}]},
        "reviewThreads": {
            "nodes": [
                {
                    "isResolved": False,
                    "path": "a.py",
                    "comments": {"nodes": [{"body": "\nSame in X\nmore"}]},
                },
                {"isResolved": True, "path": "b.py", "comments": {"nodes": [{"body": "done"}]}},
            ]
        },
    }

    words = parse_words(value, UPSTREAM)

    assert words is not None
    assert (words.labels, words.closes, words.base) == (("fsdp",), (5995,), "main")
    assert words.unresolved_remarks == ("a.py: Same in X",)


def test_of_two_links_to_one_pull_request_the_closing_one_stays():
    issue = parse_issue(issue_with(), UPSTREAM)
    assert issue is not None
    closing = IssueLink(number=1, state=State.OPEN, closes=True)

    linked = with_links(with_links(issue, (IssueLink(number=1, state=State.OPEN),)), (closing,))

    assert linked.links == (closing,)


def test_hostile_texts_come_out_plain_and_bounded():
    body = "\x00\x1b[31mred\x1b[0m\u202e" + "x" * 200_000
    value = {"number": 7, "title": "a\nb\x00" + "t" * 9000, "body": body, **TIMES}

    issue = parse_issue(value, UPSTREAM)

    assert issue is not None
    assert issue.raw_body.startswith("redx")
    assert len(issue.raw_body) < 70_000
    assert issue.title.startswith("a b")
    assert len(issue.title) <= 300


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=20,
)
TOP_KEYS = ("title", "body", "state", "stateReason", "labels", "timelineItems", "__typename")
INNER_KEYS = ("nodes", "source", "closer", "actor", "login", "canonical", "reviewThreads")
KEYS = st.sampled_from((*TOP_KEYS, *INNER_KEYS))


@given(st.dictionaries(KEYS, JSON, max_size=8))
def test_no_json_raises(value: dict[str, object]):
    parse_issue({**value, **TIMES, "number": 1}, UPSTREAM)
    words = parse_words({**value, "number": 1}, UPSTREAM)

    assert words is not None


def test_ends_that_are_missing_or_elsewhere_make_no_link():
    issue_end = {"__typename": "Issue", "number": 7}
    value = issue_with(
        {"__typename": "ConnectedEvent", "source": issue_end, "subject": issue_end},
        {"__typename": "DisconnectedEvent", "source": pull(5), "subject": issue_end},
        {"__typename": "CrossReferencedEvent", "source": {"__typename": "PullRequest"}},
        {"__typename": "MarkedAsDuplicateEvent", "canonical": {"number": 7}},
        closedByPullRequestsReferences={"nodes": [None, 3]},
    )

    issue = parse_issue(value, UPSTREAM)

    assert issue is not None
    assert (issue.links, issue.duplicate_of) == ((), None)


def test_issues_of_other_repositories_and_empty_remarks_are_left_out():
    elsewhere = {"number": 5, "repository": {"nameWithOwner": "other/repo"}, **TIMES}
    silent = {"isResolved": False, "path": "a.py", "comments": {"nodes": [{"body": " "}]}}
    bare = {"isResolved": False, "comments": {"nodes": [{"body": "why?"}]}}
    value = {
        **pull(1),
        "closingIssuesReferences": {"nodes": [elsewhere, {"number": 6}]},
        "reviewThreads": {"nodes": [silent, {"isResolved": False}, bare]},
    }

    words = parse_words(value, UPSTREAM)

    assert words is not None
    assert (words.closes, words.unresolved_remarks) == ((), ("why?",))


def test_times_without_a_zone_are_utc_and_odd_ones_are_none():
    odd = parse_issue({"number": 1, "createdAt": "yesterday"}, UPSTREAM)
    early = parse_issue({"number": 1, "createdAt": "0001-01-01T00:00:00+23:00"}, UPSTREAM)
    naive = parse_issue({"number": 1, "createdAt": "2026-04-13T10:00:00"}, UPSTREAM)

    assert (odd, early) == (None, None)
    assert naive is not None
    assert naive.opened_at == datetime(2026, 4, 13, 10, tzinfo=UTC)
