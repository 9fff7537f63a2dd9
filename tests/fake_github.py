"""A GitHub in memory that tells stories: people open, close and link; the fake answers from that.

GraphQL runs through a schema (a hand-written part, or the whole of GitHub's), so a query or an
answer that GitHub would refuse is refused here. REST, tokens, allowances, page bounds, renamed
repositories and moved issues follow GitHub's documentation. ``fake_github_http`` puts it behind a
socket or an httpx transport.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    build_schema,
    execute_sync,
    parse,
    validate,
)

from tests.fake_github_graph import Root
from tests.fake_github_records import START, Pull, Reply, Report, Repository, Request
from tests.fake_github_rest import rest_issue

__all__ = ["START", "TOKEN", "FakeGitHub", "Reply", "Repository", "Request", "json_reply"]

SUBSET = Path(__file__).with_name("github_subset.graphql")
TOKEN = "ghp_for_tests"


class FakeGitHub:
    """The whole service. ``requests`` is the log; ``faults`` answer instead of it, in order."""

    def __init__(self, schema: GraphQLSchema | None = None) -> None:
        self.repositories: dict[str, Repository] = {}
        self.renamed: dict[str, str] = {}
        self.requests: list[Request] = []
        self.faults: deque[Reply | None] = deque()
        """What answers the next requests; None lets one pass."""
        self.before: Callable[[int], None] = lambda number: None
        """Called with the number of each request (from 1) before it is answered."""
        self.now = START
        self.remaining = 5000
        self.anonymous_remaining = 60
        self.largest_batch = 100
        self.largest_page = 100
        """More aliases or a larger page than these exceed GitHub's resources."""
        self.etags = True
        self._schema = schema or subset()

    def repository(self, name: str) -> Repository:
        """The repository, made when new."""
        return self.repositories.setdefault(
            name, Repository(name, 1 + len(self.repositories), self.tick)
        )

    def rename(self, old: str, new: str) -> None:
        repository = self.repositories.pop(old)
        repository.name = new
        self.repositories[new] = repository
        self.renamed[old] = new

    def tick(self, **step: float) -> datetime:
        """The next moment: a minute later unless said otherwise."""
        self.now += timedelta(**(step or {"minutes": 1}))
        return self.now

    def answer(self, request: Request) -> Reply:
        """The answer to one request, logged."""
        self.requests.append(request)
        self.before(len(self.requests))
        fault = self.faults.popleft() if self.faults else None
        if fault is not None:
            return fault
        if request.path.endswith("/graphql") and request.method == "POST":
            return self._graphql(request)
        return self._rest(request)

    def find(self, name: str) -> Repository | None:
        return self.repositories.get(self.renamed.get(name, name))

    # --- GraphQL ---

    def _graphql(self, request: Request) -> Reply:
        if request.headers.get("authorization", "").split(" ")[-1] != TOKEN:
            return json_reply(401, {"message": "Bad credentials"})
        if self.remaining <= 0:
            error = {"type": "RATE_LIMITED", "message": "API rate limit exceeded"}
            return json_reply(200, {"errors": [error]}, self._allowance(0))
        self.remaining -= 1
        if (first := request.variables.get("first", 1)) > 100 or first < 1:
            return json_reply(
                200, {"data": None, "errors": [{"message": "first is out of bounds"}]}
            )
        aliases = len(re.findall(r"^\s*n\d+:", request.document, re.MULTILINE))
        if aliases > self.largest_batch or first > self.largest_page:
            error = {"type": "RESOURCE_LIMITS_EXCEEDED", "message": "Resource limits exceeded"}
            return json_reply(200, {"data": None, "errors": [error]})
        result = self._run(request)
        body: dict[str, Any] = {"data": result.data}
        if result.errors:
            body["errors"] = [
                {"message": error.message, "path": error.path, **(error.extensions or {})}
                for error in result.errors
            ]
        return json_reply(200, body, self._allowance(self.remaining))

    def _run(self, request: Request) -> ExecutionResult:
        document = parsed(request.document)
        if errors := checked(self._schema, document):
            return ExecutionResult(data=None, errors=list(errors))
        return execute_sync(self._schema, document, Root(self), variable_values=request.variables)

    def _allowance(self, remaining: int) -> dict[str, str]:
        reset = int((self.now + timedelta(minutes=30)).timestamp())
        return {"x-ratelimit-remaining": str(remaining), "x-ratelimit-reset": str(reset)}

    # --- REST ---

    def _rest(self, request: Request) -> Reply:
        is_known = request.headers.get("authorization", "").split(" ")[-1] == TOKEN
        remaining = self.remaining if is_known else self.anonymous_remaining
        if remaining <= 0:
            told = {"message": "API rate limit exceeded for 127.0.0.1."}
            return json_reply(403, told, self._allowance(0))
        if is_known:
            self.remaining -= 1
        else:
            self.anonymous_remaining -= 1
        parts = urlsplit(request.path)
        steps = [step for step in parts.path.split("/") if step and step not in {"api", "v3"}]
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        return self._route(steps, query, request, self._allowance(remaining - 1))

    def _route(
        self, steps: list[str], query: dict[str, str], request: Request, headers: dict[str, str]
    ) -> Reply:
        if steps[:1] == ["repos"] and len(steps) >= 3:
            name = "/".join(steps[1:3])
            if name in self.renamed:
                repository = self.repositories[self.renamed[name]]
                rest = "/".join(steps[3:])
                return self._moved(f"/repositories/{repository.id}/{rest}", request, headers)
            found, rest_steps = self.repositories.get(name), steps[3:]
        else:
            by_id = {str(one.id): one for one in self.repositories.values()}
            found, rest_steps = by_id.get(steps[1] if len(steps) > 1 else ""), steps[2:]
        if found is None:
            return json_reply(404, {"message": "Not Found"}, headers)
        if not rest_steps:
            return json_reply(200, {"id": found.id, "full_name": found.name}, headers)
        if rest_steps[0] == "pulls" and rest_steps[1:] and rest_steps[1].isdigit():
            pull = found.pulls.get(int(rest_steps[1]))
            told = {"message": "Not Found"} if pull is None else rest_issue(found, pull)
            return json_reply(404 if pull is None else 200, told, headers)
        if rest_steps == ["issues"]:
            return self._list(found, query, request, headers)
        if rest_steps[:1] == ["issues"] and rest_steps[1:] and rest_steps[1].isdigit():
            return self._one(found, int(rest_steps[1]), request, headers)
        return json_reply(404, {"message": "Not Found"}, headers)

    def _moved(self, path: str, request: Request, headers: dict[str, str]) -> Reply:
        query = urlsplit(request.path).query
        host = request.headers.get("host", "127.0.0.1")
        target = f"http://{host}{path}" + (f"?{query}" if query else "")
        return json_reply(
            301, {"message": "Moved Permanently", "url": target}, {**headers, "location": target}
        )

    def _next_page(self, request: Request, page: int) -> str:
        path, _, query = request.path.partition("?")
        kept = [one for one in query.split("&") if one and not one.startswith("page=")]
        host = request.headers.get("host", "127.0.0.1")
        return f'<http://{host}{path}?{"&".join([*kept, f"page={page}"])}>; rel="next"'

    def _one(
        self, repository: Repository, number: int, request: Request, headers: dict[str, str]
    ) -> Reply:
        if number in repository.moved:
            other, there = repository.moved[number]
            return self._moved(f"/repositories/{other.id}/issues/{there}", request, headers)
        if number not in repository.issues:
            return json_reply(404, {"message": "Not Found"}, headers)
        return json_reply(200, rest_issue(repository, repository.issues[number]), headers)

    def _list(
        self,
        repository: Repository,
        query: dict[str, str],
        request: Request,
        headers: dict[str, str],
    ) -> Reply:
        since = datetime.fromisoformat(query["since"]) if "since" in query else START
        wanted = query.get("state", "open")
        items: list[Report | Pull] = [*repository.issues.values(), *repository.pulls.values()]
        listed = [
            item
            for item in items
            if item.at >= since and (wanted == "all" or item.state == wanted.upper())
        ]
        listed.sort(
            key=lambda item: (item.at, item.number), reverse=query.get("direction") != "asc"
        )
        size, page = min(100, int(query.get("per_page", 30))), int(query.get("page", 1))
        listed = [
            item for item in listed if set(query.get("labels", "").split(",")) <= {"", *item.labels}
        ]
        chosen = listed[(page - 1) * size : page * size]
        if len(listed) > page * size:
            headers["link"] = self._next_page(request, page + 1)
        body = [rest_issue(repository, item) for item in chosen]
        etag = f'"{hashlib.sha256(json.dumps(body).encode()).hexdigest()}"'
        if self.etags and request.headers.get("if-none-match") == etag:
            return Reply(304, {**headers, "etag": etag})
        return json_reply(200, body, {**headers, "etag": etag})


def json_reply(status: int, body: object, headers: dict[str, str] | None = None) -> Reply:
    told = {"content-type": "application/json; charset=utf-8", **(headers or {})}
    return Reply(status, told, json.dumps(body).encode())


@lru_cache
def parsed(document: str) -> DocumentNode:
    return parse(document)


@lru_cache
def checked(schema: GraphQLSchema, document: DocumentNode) -> tuple[GraphQLError, ...]:
    return tuple(validate(schema, document))


@lru_cache
def subset() -> GraphQLSchema:
    return build_schema(SUBSET.read_text(), assume_valid=True)
