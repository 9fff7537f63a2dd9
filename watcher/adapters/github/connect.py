"""A base address and a token -> the ``GitHub`` port, ready to ask."""

from __future__ import annotations

import httpx

from watcher.adapters.github.auth import Token, open_session
from watcher.adapters.github.client import GitHubClient
from watcher.adapters.github.limits import Patience
from watcher.adapters.github.session import BATCH, PAGE, GitHubSession


def connect(
    base_url: str,
    token: Token | None,
    patience: Patience,
    *,
    transport: httpx.BaseTransport | None = None,
    batch: int = BATCH,
    page: int = PAGE,
) -> GitHubSession:
    """A session with GitHub (``auth.PUBLIC_API``) or an Enterprise server (``https://HOST/api/v3``).

    Nothing is sent yet. ``batch`` numbers and ``page`` issues are asked for at once at most.
    Raises ConfigError for an address that is none.
    """
    opened = open_session(base_url, token)
    graphql_url = opened.requester.graphql_url
    authorization = f"Bearer {token.secret}" if token else None
    client = GitHubClient(base_url, graphql_url, authorization, patience, transport)
    return GitHubSession(client, has_token=token is not None, batch=batch, page=page)
