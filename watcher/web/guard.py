"""What stands before every request: its host, its size, and the headers of every answer.

Plain ASGI, so that nothing of an answer is buffered.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from watcher.settings import WebSettings

LARGEST_LOG: Final = 5 * 1024 * 1024
"""Bytes of a pasted log."""
LARGEST_BODY: Final = LARGEST_LOG + 256 * 1024
"""Bytes of any request: the log with the form around it."""
_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_UNGUARDED: Final = frozenset({"/healthz", "/readyz"})

HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';"
        " object-src 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def is_loopback(host: str) -> bool:
    """True for an address that only this machine reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class KnownHosts(Struct, frozen=True):
    """The names under which the page is asked for: a foreign name that points here is refused."""

    bound: str
    public: str | None

    @classmethod
    def of(cls, web: WebSettings, host: str) -> KnownHosts:
        """From the settings and the address listened on."""
        return cls(host.lower(), urlsplit(web.url).hostname if web.url else None)

    def knows(self, header: str) -> bool:
        """True for a ``Host`` header that means this server."""
        try:
            name = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        if name in _LOCAL_NAMES or name in {self.bound, self.public}:
            return True
        return not is_loopback(self.bound) and _is_address(name)


def _is_address(name: str) -> bool:
    """True for a bare IP address: no name was resolved, so none can have been rebound."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """ASGI middleware: refuses foreign hosts and large bodies, answers HEAD, adds headers."""

    def __init__(self, app: ASGIApp, hosts: KnownHosts, *, is_https: bool) -> None:
        self._app = app
        self._hosts = hosts
        self._headers = dict(HEADERS)
        if is_https:
            self._headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        answer = self._answering(send, is_head=is_head)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        inner = {**scope, "method": "GET"} if is_head else scope
        await self._app(inner, _Bounded(receive), answer)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if scope["path"] not in _UNGUARDED and not self._hosts.knows(headers.get("host", "")):
            return PlainTextResponse("This host name is not known here: set web.url.\n", 421)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:12]) > LARGEST_BODY:
            return PlainTextResponse("Too large: a log may have 5 MB.\n", 413)
        return None

    def _answering(self, send: Send, *, is_head: bool) -> Send:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "private, no-cache")
            elif is_head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        return answer


class _Bounded:
    """A body of unknown length that ends early once it is too large."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = LARGEST_BODY

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                return {"type": "http.disconnect"}
        return message
