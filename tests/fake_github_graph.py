# ruff: noqa: N802, N803  the schema gives the names
"""The fake GitHub's records as a GraphQL graph: attributes and methods named by the schema."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphql import GraphQLError

if TYPE_CHECKING:
    from tests.fake_github import FakeGitHub
    from tests.fake_github_records import Pull, Report, Repository


def _stamp(at: datetime | None) -> str | None:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


class Root:
    """The query type."""

    def __init__(self, github: FakeGitHub) -> None:
        self._github = github

    def rateLimit(self, info: Any, dryRun: bool = False) -> dict[str, Any]:
        left = self._github.remaining
        return {
            "cost": 1, "limit": 5000, "nodeCount": 1, "remaining": left, "used": 5000 - left,
            "resetAt": _stamp(self._github.now),
        }  # fmt: skip

    def repository(
        self, info: Any, owner: str, name: str, followRenames: bool = True
    ) -> RepositoryNode | None:
        found = self._github.find(f"{owner}/{name}")
        if found is None:
            told = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            raise GraphQLError(told, extensions={"type": "NOT_FOUND"})
        return RepositoryNode(found)


class RepositoryNode:
    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.nameWithOwner = repository.name

    def pullRequest(self, info: Any, number: int) -> dict[str, Any]:
        if number not in self._repository.pulls:
            raise _not_found("a PullRequest", number)
        return pull_node(self._repository, self._repository.pulls[number])

    def issue(self, info: Any, number: int) -> dict[str, Any]:
        if number not in self._repository.issues:
            raise _not_found("an Issue", number)
        return issue_node(self._repository, self._repository.issues[number])

    def issueOrPullRequest(self, info: Any, number: int) -> dict[str, Any]:
        if number in self._repository.pulls:
            return self.pullRequest(info, number)
        if number in self._repository.issues:
            return self.issue(info, number)
        raise _not_found("an issue or pull request", number)

    def issues(self, info: Any, **wanted: Any) -> dict[str, Any]:
        chosen = wanted.get("filterBy") or {}
        states = chosen.get("states") or wanted.get("states")
        since = datetime.fromisoformat(chosen["since"]) if chosen.get("since") else None
        listed = [
            issue
            for issue in self._repository.issues.values()
            if (states is None or issue.state in states)
            and (since is None or issue.at >= since)
            and set(chosen.get("labels") or ()) <= set(issue.labels)
        ]
        order = wanted.get("orderBy") or {"direction": "ASC"}
        listed.sort(key=_activity, reverse=order["direction"] == "DESC")
        return _page(listed, wanted, lambda issue: issue_node(self._repository, issue))

    def pullRequests(self, info: Any, **wanted: Any) -> dict[str, Any]:
        states = wanted.get("states")
        pulls = self._repository.pulls.values()
        listed = [pull for pull in pulls if states is None or pull.state in states]
        order = wanted.get("orderBy") or {"direction": "ASC"}
        listed.sort(key=_activity, reverse=order["direction"] == "DESC")
        return _page(listed, wanted, lambda pull: pull_node(self._repository, pull))


def _activity(item: Report | Pull) -> tuple[datetime, int]:
    return item.at, item.number


def _not_found(what: str, number: int) -> GraphQLError:
    told = f"Could not resolve to {what} with the number of {number}."
    return GraphQLError(told, extensions={"type": "NOT_FOUND"})


def _page(listed: Sequence[Report | Pull], wanted: dict[str, Any], make: Any) -> dict[str, Any]:
    """A page by offset: worse than GitHub's cursors, whose pages do not shift as easily."""
    after = wanted.get("after")
    if after is not None and not after.startswith("offset:"):
        raise GraphQLError(f"`{after}` does not appear to be a valid cursor.")
    start = int(after.removeprefix("offset:")) if after else 0
    end = start + wanted["first"]
    return {
        "totalCount": len(listed),
        "nodes": [make(one) for one in listed[start:end]],
        "pageInfo": {
            "hasNextPage": end < len(listed), "hasPreviousPage": start > 0,
            "endCursor": f"offset:{end}" if listed[start:end] else None, "startCursor": None,
        },
    }  # fmt: skip


def _nodes(values: Sequence[Any]) -> Any:
    def connection(info: Any, **wanted: Any) -> dict[str, Any]:
        if "first" not in wanted and "last" not in wanted:
            return {"totalCount": len(values)}
        last = wanted.get("last")
        kept = values[-last:] if last else values[: wanted["first"]]
        return {
            "nodes": [one() if callable(one) else one for one in kept],
            "totalCount": len(values),
        }

    return connection


def issue_node(repository: Repository, issue: Report) -> dict[str, Any]:
    events = [lambda event=event: event_node(repository, issue, event) for event in issue.events]
    named = [
        event["source"]
        for event in issue.events
        if event["kind"] == "ConnectedEvent" or event.get("closes")
    ]
    pulls = [repository.pulls[one] for one in dict.fromkeys(named) if one in repository.pulls]
    return {
        "__typename": "Issue",
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "state": issue.state,
        "stateReason": issue.reason,
        "createdAt": _stamp(issue.opened_at),
        "updatedAt": _stamp(issue.at),
        "closedAt": _stamp(issue.closed_at),
        "repository": {"nameWithOwner": repository.name},
        "labels": _nodes([{"name": label} for label in issue.labels]),
        "comments": _nodes(range(issue.comments)),
        "reactions": _nodes(()),
        "closedByPullRequestsReferences": _nodes(
            [lambda p=p: pull_node(repository, p) for p in pulls]
        ),
        "timelineItems": _nodes(events),
    }


def pull_node(repository: Repository, pull: Pull) -> dict[str, Any]:
    closed = [repository.issues[one] for one in pull.closes if one in repository.issues]
    return {
        "__typename": "PullRequest",
        "number": pull.number,
        "title": pull.title,
        "body": pull.body,
        "state": pull.state,
        "merged": pull.state == "MERGED",
        "mergedAt": _stamp(pull.at) if pull.state == "MERGED" else None,
        "updatedAt": _stamp(pull.at),
        "baseRefName": pull.base,
        "repository": {"nameWithOwner": repository.name},
        "labels": _nodes([{"name": label} for label in pull.labels]),
        "closingIssuesReferences": _nodes([lambda i=i: issue_node(repository, i) for i in closed]),
        "reviewThreads": _nodes([
            {"isResolved": done, "path": path, "comments": _nodes([{"body": text}])}
            for path, text, done in pull.remarks
        ]),
    }  # fmt: skip


def event_node(repository: Repository, issue: Report, event: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"__typename": event["kind"]}
    if "source" in event:
        told["source"] = pull_node(repository, repository.pulls[event["source"]])
        told["subject"] = {"__typename": "Issue", "number": issue.number}
        told["willCloseTarget"] = event.get("closes", False)
    if event["kind"] == "ClosedEvent":
        login = event["by"]
        kind = "Bot" if login.endswith("[bot]") else "User"
        told["actor"] = {"__typename": kind, "login": login.removesuffix("[bot]")}
        closer = event["closer"]
        told["closer"] = pull_node(repository, repository.pulls[closer]) if closer else None
    if "canonical" in event:
        told["canonical"] = issue_node(repository, repository.issues[event["canonical"]])
    return told
