"""Who may read: anybody on this machine; elsewhere, who knows the token or comes by the proxy.

No I/O. Sessions are cookies signed with a key made from the token, so a new token ends them all.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from starlette.requests import Request

from watcher.errors import ConfigError
from watcher.settings import Settings
from watcher.web.guard import is_loopback

SESSION_COOKIE: Final = "watcher_session"
READER_COOKIE: Final = "watcher_reader"
SESSION_LIFE: Final = timedelta(days=30)
OPEN_PATHS: Final = ("/login", "/healthz", "/readyz", "/static/")
"""What is answered to anybody: nothing of it tells what is pinned."""


@dataclass(frozen=True, slots=True)
class Access:
    """Decides about requests. ``token`` and ``user_header`` are None where not asked for."""

    token: bytes | None = field(repr=False)
    user_header: str | None
    form_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @classmethod
    def of(cls, settings: Settings, host: str) -> Access:
        """From the settings. Raises ConfigError for an open address with nothing before it."""
        secret = settings.secrets.web_token
        header = settings.web.user_header
        if secret is None and header is None and not is_loopback(host):
            raise ConfigError(
                f"{host} can be reached by others",
                where="web.host",
                mend="set WATCHER_WEB_TOKEN or web.user_header, or listen on 127.0.0.1",
            )
        return cls(None if secret is None else secret.reveal().encode(), header)

    def reader(self, request: Request, now: datetime) -> str | None:
        """Name of who asks (empty when nobody has to say), or None for a stranger."""
        if self.user_header is not None:
            name = request.headers.get(self.user_header, "").strip()
            if name:
                return name[:100]
        if self.token is not None and self._is_known(request, now):
            return ""
        return "" if self.token is None and self.user_header is None else None

    def knows(self, token: str) -> bool:
        """True for the right token."""
        return self.token is not None and hmac.compare_digest(token.encode(), self.token)

    def session(self, now: datetime) -> str:
        """A signed session that ends after ``SESSION_LIFE``."""
        end = str(int((now + SESSION_LIFE).timestamp()))
        return f"{end}.{self._signed(f'session {end}')}"

    def form_token(self, reader: str) -> str:
        """What a form of this reader has to bring back."""
        return hmac.new(self.form_key, reader.encode(), hashlib.sha256).hexdigest()

    def is_own_form(self, request: Request, token: str) -> bool:
        """True when a form was made here for this very reader and sent from our own page."""
        if request.headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return False
        reader = request.cookies.get(READER_COOKIE, "")
        return bool(reader) and hmac.compare_digest(
            token.encode("utf-8", "replace"), self.form_token(reader).encode()
        )

    def _is_known(self, request: Request, now: datetime) -> bool:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(given.strip()):
            return True
        end, _, signature = request.cookies.get(SESSION_COOKIE, "").partition(".")
        if not (end.isascii() and end.isdigit() and len(end) <= 12):
            return False
        is_signed = hmac.compare_digest(
            signature.encode("utf-8", "replace"), self._signed(f"session {end}").encode()
        )
        return is_signed and int(end) > now.timestamp()

    def _signed(self, text: str) -> str:
        key = hashlib.sha256(b"watcher web\0" + (self.token or b"")).digest()
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
