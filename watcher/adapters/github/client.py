"""Requests to GitHub: httpx out, ``Answer`` back, limits obeyed, cost counted.

The only module that sends GraphQL and listing requests. Requests go one after another, bodies are
read up to a bound, redirects of moved repositories are followed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import httpx
from msgspec.structs import replace

from watcher.adapters.github.limits import Advice, Answer, Judgement, Patience, judge, reset_time
from watcher.errors import RemoteError
from watcher.history.json_values import count, line, node, nodes, time
from watcher.ports.github import GitHubCost

_TIMEOUT: Final = httpx.Timeout(30.0, connect=10.0)
_BODY_LIMIT: Final = 64 * 1024 * 1024
_HEADERS: Final = {
    "accept": "application/vnd.github+json",
    "user-agent": "watcher",
    "x-github-api-version": "2022-11-28",
}


class AskForLessError(Exception):
    """GitHub cannot answer so much at once."""


class StaleCursorError(Exception):
    """GitHub no longer knows the page cursor."""


class GoneError(RemoteError):
    """There is no such thing (any more)."""


class GitHubClient:
    """One session over HTTP, with one account of limits and cost."""

    def __init__(
        self,
        base_url: str,
        graphql_url: str,
        authorization: str | None,
        patience: Patience,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = dict(_HEADERS)
        if authorization:
            headers["authorization"] = authorization
        self._base = base_url.rstrip("/")
        self._graphql = graphql_url
        self._patience = patience
        self._cost = GitHubCost()
        self._http = httpx.Client(
            headers=headers, timeout=_TIMEOUT, follow_redirects=True, transport=transport
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def cost(self) -> GitHubCost:
        """What was asked so far."""
        return replace(self._cost, waited_seconds=self._patience.waited_seconds)

    def query(self, document: str, variables: Mapping[str, object]) -> object:
        """The ``data`` of a GraphQL query, partial where GitHub knows no such thing.

        Raises AskForLessError, StaleCursorError, RemoteError.
        """
        content = json.dumps({"query": document, "variables": dict(variables)}).encode()
        answer = self._ask("POST", self._graphql, content=content)
        self._charge(answer)
        data = node(answer.body).get("data")
        if not isinstance(data, dict):
            raise RemoteError(_errors_of(answer), where=self._graphql)
        return data

    def get(self, path: str, params: Mapping[str, str | int], *, etag: str | None = None) -> Answer:
        """A REST answer; status 304 when nothing changed since ``etag``. Raises RemoteError.

        GoneError says that there is no such thing.
        """
        headers = {"if-none-match": etag} if etag else {}
        try:
            return self._ask("GET", f"{self._base}{path}", params=params, headers=headers)
        except AskForLessError as error:
            raise RemoteError(str(error), where=f"{self._base}{path}") from error

    def _ask(
        self,
        method: str,
        url: str,
        *,
        content: bytes | None = None,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        request = self._http.build_request(
            method, url, content=content, params=params, headers=headers
        )
        for attempt in self._patience.tries():
            answer = self._send(request)
            verdict = judge(answer, self._patience.now())
            if verdict.advice is Advice.TAKE:
                return answer
            if verdict.advice is Advice.WAIT:
                self._patience.wait(verdict, attempt, url)
            else:
                raise _raised(verdict, url)
        raise RemoteError("no answer", where=url)

    def _send(self, request: httpx.Request) -> Answer:
        self._cost = replace(self._cost, requests=self._cost.requests + 1)
        try:
            response = self._http.send(request, stream=True)
            redirects = len(response.history)
            self._cost = replace(self._cost, requests=self._cost.requests + redirects)
            try:
                return self._read(response)
            finally:
                response.close()
        except httpx.HTTPError as error:
            return Answer(status=0, headers={}, fault=_fault(error))
        except httpx.InvalidURL as error:
            raise RemoteError(f"no usable address: {error}", where=str(request.url)) from error

    def _read(self, response: httpx.Response) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        self._note_allowance(headers)
        read = bytearray()
        for chunk in response.iter_bytes():
            read += chunk
            if len(read) > _BODY_LIMIT:
                return Answer(status=502, headers=headers, fault="the answer is too large")
        if not read:
            fault = "the answer is empty" if response.status_code == 200 else ""
            return Answer(status=response.status_code, headers=headers, fault=fault)
        try:
            body: object = json.loads(read)
        except (ValueError, RecursionError):
            fault = "the answer was cut short" if response.status_code == 200 else ""
            return Answer(status=response.status_code, headers=headers, fault=fault)
        return Answer(status=response.status_code, headers=headers, body=body)

    def _note_allowance(self, headers: Mapping[str, str]) -> None:
        left = headers.get("x-ratelimit-remaining", "")
        if left.isascii() and left.isdigit() and len(left) < 10:
            resets_at = reset_time(headers)
            self._cost = replace(self._cost, remaining=int(left), resets_at=resets_at)

    def _charge(self, answer: Answer) -> None:
        told = node(answer.body, "data", "rateLimit")
        if told:
            self._cost = replace(
                self._cost,
                points=self._cost.points + count(told.get("cost")),
                remaining=count(told.get("remaining")),
                resets_at=time(told.get("resetAt")),
            )


def _raised(verdict: Judgement, url: str) -> Exception:
    if verdict.advice is Advice.SMALLER:
        return AskForLessError(verdict.reason)
    if verdict.advice is Advice.STALE_CURSOR:
        return StaleCursorError(verdict.reason)
    kind = GoneError if verdict.advice is Advice.GONE else RemoteError
    return kind(verdict.reason, where=url, mend=verdict.mend)


def _fault(error: httpx.HTTPError) -> str:
    told = str(error) or type(error).__name__
    return " ".join(f"no answer: {told}".split())[:300]


def _errors_of(answer: Answer) -> str:
    told = (line(error.get("message")) for error in nodes(answer.body, "errors"))
    return next((message for message in told if message), "the answer holds no data")
