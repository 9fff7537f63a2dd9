"""GitHub's JSON (GraphQL nodes, REST objects) -> issues and the words of pull requests.

Pure. Nothing raises on a missing or odd value: a record without a number or a time is None. Bodies
come out plain and bounded but not yet read: ``history.issues`` does that with a profile at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from watcher.facts.issue import Issue, IssueLink, PullRequestWords
from watcher.facts.kind import State
from watcher.history.json_values import Node, count, line, node, nodes, number, text, time

_REMARK_LIMIT: Final = 300
_LABEL_LIMIT: Final = 100
_STATES: Final = {"OPEN": State.OPEN, "CLOSED": State.CLOSED, "MERGED": State.MERGED}


def parse_issue(value: object, upstream: str) -> Issue | None:
    """A GraphQL ``Issue`` node or a REST issue of ``upstream``; None without number or times."""
    issue = node(value)
    found, opened_at = number(issue.get("number")), _either(issue, "createdAt", "created_at")
    updated_at = _either(issue, "updatedAt", "updated_at") or opened_at
    if found is None or opened_at is None or updated_at is None:
        return None
    links, closing = _links(issue, upstream), _closing(issue)
    reason = line(issue.get("stateReason") or issue.get("state_reason"), 40).lower() or None
    body = text(issue.get("body"))
    return Issue(
        upstream=upstream,
        number=found,
        title=line(issue.get("title")),
        body=body,
        raw_body=body,
        state=_state(issue.get("state")),
        state_reason=reason,
        opened_at=opened_at,
        updated_at=updated_at,
        closed_at=_either(issue, "closedAt", "closed_at"),
        labels=_labels(issue),
        reactions=count(node(issue, "reactions").get("totalCount"))
        or count(node(issue, "reactions").get("total_count")),
        comments=count(node(issue, "comments").get("totalCount")) or count(issue.get("comments")),
        linked_numbers=tuple(link.number for link in links),
        links=links,
        duplicate_of=_duplicate_of(issue, found, upstream),
        closed_by_bot=_is_bot_alone(closing),
        closed_by=line(node(closing, "actor").get("login"), _LABEL_LIMIT),
    )


def parse_words(value: object, upstream: str) -> PullRequestWords | None:
    """A GraphQL ``PullRequest`` node of ``upstream``; None without a number."""
    found = number(node(value).get("number"))
    if found is None:
        return None
    pull = node(value)
    return PullRequestWords(
        upstream=upstream,
        number=found,
        title=line(pull.get("title")),
        body=text(pull.get("body")),
        state=_pull_state(pull),
        merged_at=time(pull.get("mergedAt")),
        updated_at=time(pull.get("updatedAt")),
        labels=_labels(pull),
        closes=_unique(issue.number for issue in parse_closed_issues(value, upstream)),
        unresolved_remarks=tuple(_remarks(pull)),
        base=line(pull.get("baseRefName"), 200),
    )


def parse_closed_issues(value: object, upstream: str) -> list[Issue]:
    """The issues that a ``PullRequest`` node closes, each linked to it, of this upstream only."""
    pull = node(value)
    link = _pull_link(pull, closes=True)
    issues: list[Issue] = []
    for found in nodes(pull, "closingIssuesReferences", "nodes"):
        issue = parse_issue(found, upstream) if _is_of(found, upstream) else None
        if issue is not None and link is not None:
            issues.append(with_links(issue, (link,)))
    return issues


def parse_links(values: object, upstream: str) -> tuple[IssueLink, ...]:
    """Pull requests of a connection, for refreshing what is known of their state."""
    links = (
        _pull_link(pull, closes=False) for pull in nodes(values, "nodes") if _is_of(pull, upstream)
    )
    return tuple(link for link in links if link is not None)


def with_states(issue: Issue, present: Mapping[int, IssueLink]) -> Issue:
    """The issue with the present state and title of the pull requests that it is linked to."""
    links = tuple(
        replace(link, state=now.state, title=now.title)
        if (now := present.get(link.number)) is not None
        else link
        for link in issue.links
    )
    return replace(issue, links=links) if links != issue.links else issue


def with_links(issue: Issue, links: tuple[IssueLink, ...]) -> Issue:
    """The issue with further links; of two links to one pull request the closing one stays."""
    merged = {link.number: link for link in issue.links}
    for link in links:
        known = merged.get(link.number)
        if known is None or (link.closes, link.title) > (known.closes, known.title):
            merged[link.number] = link
    kept = tuple(merged[found] for found in sorted(merged))
    return replace(issue, links=kept, linked_numbers=tuple(link.number for link in kept))


def is_pull_request(value: object) -> bool:
    """True for a REST issue that is a pull request, and for a GraphQL ``PullRequest``."""
    return "pull_request" in node(value) or node(value).get("__typename") == "PullRequest"


def _either(issue: Node, one: str, other: str) -> datetime | None:
    return time(issue.get(one)) or time(issue.get(other))


def _state(value: object) -> State:
    return _STATES.get(value.upper(), State.OPEN) if isinstance(value, str) else State.OPEN


def _pull_state(pull: Node) -> State:
    """State of a pull request; ``pullState`` is its alias where issues are asked for as well."""
    if pull.get("merged") is True or time(pull.get("mergedAt")) is not None:
        return State.MERGED
    return _state(pull.get("pullState") or pull.get("state"))


def _labels(owner: Node) -> tuple[str, ...]:
    listed = owner.get("labels")
    found = nodes(listed) if isinstance(listed, list) else nodes(listed, "nodes")
    return tuple(name for label in found if (name := line(label.get("name"), _LABEL_LIMIT)))


def _is_of(owner: Node, upstream: str) -> bool:
    """True when the node names no repository or the upstream's."""
    name = node(owner, "repository").get("nameWithOwner")
    return not isinstance(name, str) or name.lower() == upstream.lower()


def _pull_link(pull: Node, *, closes: bool) -> IssueLink | None:
    found = number(pull.get("number"))
    if found is None:
        return None
    return IssueLink(
        number=found, state=_pull_state(pull), title=line(pull.get("title")), closes=closes
    )


def _links(issue: Node, upstream: str) -> tuple[IssueLink, ...]:
    """Pull requests of the upstream that the timeline and GitHub's closing references name."""
    found: dict[int, IssueLink] = {}
    for pull, closes in _linked_pulls(issue):
        link = _pull_link(pull, closes=closes) if _is_of(pull, upstream) else None
        if link is None:
            continue
        known = found.get(link.number)
        found[link.number] = replace(
            link, closes=link.closes or (known is not None and known.closes)
        )
    for event in nodes(issue, "timelineItems", "nodes"):
        if event.get("__typename") == "DisconnectedEvent":
            _loosen(found, number(_other_end(event, issue).get("number")))
    return tuple(found[key] for key in sorted(found))


def _linked_pulls(issue: Node) -> Iterator[tuple[Node, bool]]:
    for pull in nodes(issue, "closedByPullRequestsReferences", "nodes"):
        yield pull, True
    for event in nodes(issue, "timelineItems", "nodes"):
        kind = event.get("__typename")
        if kind == "CrossReferencedEvent" and is_pull_request(event.get("source")):
            yield node(event, "source"), event.get("willCloseTarget") is True
        elif kind == "ConnectedEvent":
            end = _other_end(event, issue)
            if is_pull_request(end):
                yield end, True
        elif kind == "ClosedEvent" and is_pull_request(event.get("closer")):
            yield node(event, "closer"), True


def _other_end(event: Node, issue: Node) -> Node:
    """The end of a connection that is not the issue itself."""
    source = node(event, "source")
    return node(event, "subject") if source.get("number") == issue.get("number") else source


def _loosen(found: dict[int, IssueLink], disconnected: int | None) -> None:
    """A connection taken back by hand is a mere mention."""
    if disconnected in found and disconnected is not None:
        found[disconnected] = replace(found[disconnected], closes=False)


def _duplicate_of(issue: Node, own: int, upstream: str) -> int | None:
    """The original of the last duplicate mark that stands."""
    original: int | None = None
    for event in nodes(issue, "timelineItems", "nodes"):
        kind = event.get("__typename")
        if kind == "MarkedAsDuplicateEvent":
            canonical = node(event, "canonical")
            if number(canonical.get("number")) != own and _is_of(canonical, upstream):
                original = number(canonical.get("number"))
        elif kind == "UnmarkedAsDuplicateEvent":
            original = None
    return original


def _closing(issue: Node) -> Node:
    """The event that closed the issue last, empty when open or unknown."""
    last: Node = {}
    if _state(issue.get("state")) is State.CLOSED:
        for event in nodes(issue, "timelineItems", "nodes"):
            last = event if event.get("__typename") == "ClosedEvent" else last
    return last


def _is_bot_alone(closing: Node) -> bool:
    """True when a bot account closed the issue, and not by a commit or pull request."""
    actor = node(closing, "actor")
    login = line(actor.get("login"), _LABEL_LIMIT)
    is_bot = actor.get("__typename") == "Bot" or login.endswith("[bot]")
    return is_bot and not node(closing, "closer")


def _remarks(pull: Node) -> Iterator[str]:
    """First lines of the threads that nobody resolved, with their file."""
    for thread in nodes(pull, "reviewThreads", "nodes"):
        if thread.get("isResolved") is True:
            continue
        comment = next(nodes(thread, "comments", "nodes"), None)
        said = text(comment.get("body"), 2000).strip() if comment else ""
        if said:
            path = line(thread.get("path"), 200)
            first = line(next((row for row in said.splitlines() if row.strip()), ""), _REMARK_LIMIT)
            yield f"{path}: {first}" if path else first


def _unique(numbers: Iterator[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))
