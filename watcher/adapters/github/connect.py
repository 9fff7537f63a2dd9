"""A base address and a token -> the ``GitHub`` port, ready to ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import httpx

from watcher.adapters.github.auth import PUBLIC_API, Token, open_session
from watcher.adapters.github.client import GitHubClient
from watcher.adapters.github.limits import Patience
from watcher.adapters.github.rest import MovedIssues
from watcher.adapters.github.session import GitHubSession
from watcher.errors import ConfigError
from watcher.ports import Clock


def connect(
    *,
    token: Token | None,
    clock: Clock,
    sleep: Callable[[float], None],
    base_url: str = PUBLIC_API,
    longest_wait_seconds: float = 300.0,
    transport: httpx.BaseTransport | None = None,
) -> GitHubSession:
    """A session with GitHub or an Enterprise server (``https://HOST/api/v3``).

    ``sleep`` is what waits for limits, at most ``longest_wait_seconds`` at once. Nothing is sent
    yet. Raises ConfigError for an address that is none.
    """
    try:
        opened = open_session(base_url, token)
        graphql_url = opened.requester.graphql_url
    except (AssertionError, ValueError) as error:
        mend = f"write the API's base address, such as {PUBLIC_API}"
        raise ConfigError("no usable API address", where=base_url, mend=mend) from error
    client = GitHubClient(
        base_url,
        graphql_url,
        f"Bearer {token.secret}" if token else None,
        Patience(clock, sleep, longest_wait_seconds=longest_wait_seconds),
        transport,
    )
    moved = MovedIssues(cache(lambda: opened), client.count_request)
    return GitHubSession(client, has_token=token is not None, moved=moved)
