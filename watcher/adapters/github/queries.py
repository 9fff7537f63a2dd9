"""The GraphQL documents that are sent to GitHub, as text.

No I/O. Owner, name, times and cursors travel as variables; only whole numbers are written into a
document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MENTIONED_EVENTS: Final = 40
"""Timeline events read of an issue, the latest ones."""

_ISSUE: Final = """
fragment IssueWords on Issue {
  number title body state stateReason(enableDuplicate: true) createdAt updatedAt closedAt
  repository { nameWithOwner }
  labels(first: 20) { nodes { name } }
  comments { totalCount }
  reactions { totalCount }
}"""

_TIES: Final = f"""
fragment PullName on PullRequest {{ number title state merged repository {{ nameWithOwner }} }}
fragment IssueTies on Issue {{
  closedByPullRequestsReferences(first: 10, includeClosedPrs: true) {{ nodes {{ ...PullName }} }}
  timelineItems(last: {MENTIONED_EVENTS}, itemTypes: [
    CONNECTED_EVENT, DISCONNECTED_EVENT, CROSS_REFERENCED_EVENT, CLOSED_EVENT,
    MARKED_AS_DUPLICATE_EVENT, UNMARKED_AS_DUPLICATE_EVENT
  ]) {{
    nodes {{
      __typename
      ... on CrossReferencedEvent {{ willCloseTarget source {{ ...End }} }}
      ... on ConnectedEvent {{ source {{ ...End }} subject {{ ...End }} }}
      ... on DisconnectedEvent {{ source {{ ...End }} subject {{ ...End }} }}
      ... on ClosedEvent {{
        actor {{ __typename login }}
        closer {{ __typename ... on Commit {{ oid }} ... on PullRequest {{ ...PullName }} }}
      }}
      ... on MarkedAsDuplicateEvent {{ canonical {{
        ... on Issue {{ number repository {{ nameWithOwner }} }}
        ... on PullRequest {{ number repository {{ nameWithOwner }} }}
      }} }}
    }}
  }}
}}
fragment End on ReferencedSubject {{
  __typename
  ... on Issue {{ number }}
  ... on PullRequest {{ ...PullName }}
}}"""

_PULL: Final = """
fragment PullWords on PullRequest {
  number title body mergedAt updatedAt baseRefName pullState: state
  repository { nameWithOwner }
  labels(first: 20) { nodes { name } }
  reviewThreads(first: 20) {
    nodes { isResolved path comments(first: 1) { nodes { body } } }
  }
  closingIssuesReferences(first: 5) { nodes { ...IssueWords } }
}"""

_LIMIT: Final = "rateLimit { cost remaining resetAt }"
_OLDEST_FIRST: Final = "orderBy: {field: UPDATED_AT, direction: ASC}"
_NEWEST_FIRST: Final = "orderBy: {field: UPDATED_AT, direction: DESC}"
_RECENT: Final = (
    "    recent: pullRequests(first: 100, orderBy: {field: UPDATED_AT, direction: DESC})"
    " { nodes { ...PullName } }\n"
)
_PAGE: Final = "pageInfo { hasNextPage endCursor } nodes { ...IssueWords ...IssueTies }"


def pull_requests(numbers: Sequence[int]) -> str:
    """Words of pull requests, each under the alias ``nNUMBER``."""
    wanted = "\n".join(
        f"    n{int(one)}: pullRequest(number: {int(one)}) {{ ...PullWords }}" for one in numbers
    )
    return _by_alias(wanted) + _PULL + _ISSUE


def named(numbers: Sequence[int]) -> str:
    """Issues, or the words of pull requests, whatever a number is, under ``nNUMBER``."""
    wanted = "\n".join(
        f"    n{int(one)}: issueOrPullRequest(number: {int(one)}) "
        "{ __typename ...IssueWords ...IssueTies ...PullWords }"
        for one in numbers
    )
    return _by_alias(wanted) + _PULL + _ISSUE + _TIES


def _by_alias(wanted: str) -> str:
    return (
        "query Named($owner: String!, $name: String!) {\n"
        f"  {_LIMIT}\n"
        "  repository(owner: $owner, name: $name) {\n"
        f"    nameWithOwner\n{wanted}\n  }}\n}}"
    )


ACTIVE_ISSUES: Final = (
    "query ActiveIssues($owner: String!, $name: String!, $first: Int!, $since: DateTime!, "
    "$after: String) {\n"
    f"  {_LIMIT}\n"
    "  repository(owner: $owner, name: $name) {\n"
    f"    nameWithOwner\n{_RECENT}"
    f"    page: issues(first: $first, after: $after, filterBy: {{since: $since}}, {_OLDEST_FIRST})"
    f" {{ {_PAGE} }}\n  }}\n}}" + _ISSUE + _TIES
)
"""Issues active since a time, open or closed, oldest activity first, and lately active pulls."""


def first_issues(*, with_label: bool) -> str:
    """Open issues oldest activity first and, riding along, closed ones newest activity first."""
    declared, label = (", $labels: [String!]", ", labels: $labels") if with_label else ("", "")
    return (
        "query FirstIssues($owner: String!, $name: String!, $first: Int!, $since: DateTime!, "
        "$after: String, $closedSince: DateTime!, $closedAfter: String, "
        f"$withOpen: Boolean!, $withClosed: Boolean!{declared}) {{\n"
        f"  {_LIMIT}\n"
        "  repository(owner: $owner, name: $name) {\n"
        "    nameWithOwner\n"
        f"    latest: issues(first: 1, {_NEWEST_FIRST}) {{ nodes {{ updatedAt }} }}\n"
        "    page: issues(first: $first, after: $after, "
        f"filterBy: {{since: $since, states: [OPEN]{label}}}, {_OLDEST_FIRST})"
        f" @include(if: $withOpen) {{ {_PAGE} }}\n"
        "    closed: issues(first: $first, after: $closedAfter, "
        f"filterBy: {{since: $closedSince, states: [CLOSED]{label}}}, {_NEWEST_FIRST})"
        f" @include(if: $withClosed) {{ {_PAGE} }}\n  }}\n}}" + _ISSUE + _TIES
    )
