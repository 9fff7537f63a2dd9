"""The fake GitHub's records as REST objects, with every key that GitHub's description requires."""

from __future__ import annotations

from typing import Any

from tests.fake_github_records import Pull, Report, Repository, stamp

API = "https://api.github.com"
FACES = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def rest_issue(repository: Repository, item: Report | Pull) -> dict[str, Any]:
    """A REST issue; pull requests are issues there."""
    kind = "issues" if isinstance(item, Report) else "pull"
    page = f"https://github.com/{repository.name}/{kind}/{item.number}"
    url = f"{API}/repos/{repository.name}/issues/{item.number}"
    told: dict[str, Any] = {
        "id": repository.id * 1_000_000 + item.number,
        "node_id": f"I_{item.number}",
        "number": item.number,
        "title": item.title,
        "body": item.body or None,
        "state": "open" if item.state == "OPEN" else "closed",
        "created_at": stamp(item.at),
        "updated_at": stamp(item.at),
        "closed_at": None,
        "labels": [rest_label(label) for label in item.labels],
        "comments": 0,
        "reactions": {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(FACES, 0)},
        "html_url": page,
        "url": url,
        "repository_url": f"{API}/repos/{repository.name}",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "user": None,
        "assignee": None,
        "milestone": None,
        "locked": False,
    }
    if isinstance(item, Pull):
        pull = {
            "url": url,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
        }
        return {**told, "pull_request": pull}
    told |= {"created_at": stamp(item.opened_at), "comments": item.comments}
    if item.closed_at is not None:
        told["closed_at"] = stamp(item.closed_at)
    if item.reason is not None:
        told["state_reason"] = item.reason.lower()
    return told


def rest_label(name: str) -> dict[str, Any]:
    return {
        "id": 1, "node_id": "L_1", "name": name, "url": f"{API}/labels/1", "description": None,
        "color": "ededed", "default": False,
    }  # fmt: skip
