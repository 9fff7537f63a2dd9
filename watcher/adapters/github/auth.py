"""A token and a base address -> an authenticated PyGithub session and the addresses to ask.

PyGithub knows the kinds of tokens and where an Enterprise server has its GraphQL; it is imported
only when GitHub is asked at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from msgspec import Struct

from watcher.errors import ConfigError, RemoteError

if TYPE_CHECKING:
    from github import Github

PUBLIC_API: Final = "https://api.github.com"
_TIMEOUT_SECONDS: Final = 30
_PREFIXES: Final = {
    "github_pat_": "fine-grained token",
    "ghp_": "classic token",
    "gho_": "OAuth token",
    "ghu_": "app user token",
    "ghs_": "app installation token",
}


class Token(Struct, frozen=True):
    """A secret and where it came from. Never printed."""

    secret: str
    origin: str

    @property
    def kind(self) -> str:
        """What sort of token it looks like; older and Enterprise tokens have no prefix."""
        for prefix, kind in _PREFIXES.items():
            if self.secret.startswith(prefix):
                return kind
        return "token"

    def __repr__(self) -> str:
        return f"Token({self.kind} from {self.origin})"


def find_token(
    environment: Mapping[str, str],
    read_secret: Callable[[str], str | None],
    ask_gh: Callable[[], str | None],
) -> Token | None:
    """The token of ``GITHUB_TOKEN``, of the file ``GITHUB_TOKEN_FILE`` names, or of the gh program.

    ``read_secret`` gives a file's text, ``ask_gh`` what ``gh auth token`` prints; both None when
    there is none. Raises ConfigError for a file that cannot be read and for what is no token.
    """
    path = environment.get("GITHUB_TOKEN_FILE", "").strip()
    if found := environment.get("GITHUB_TOKEN", "").strip():
        return _token(found, "GITHUB_TOKEN")
    if path:
        told = read_secret(path)
        if told is None:
            mend = "point GITHUB_TOKEN_FILE at a readable file"
            raise ConfigError("cannot be read", where=f"GITHUB_TOKEN_FILE={path}", mend=mend)
        return _token(told.strip(), path) if told.strip() else None
    told = ask_gh()
    return _token(told.strip(), "gh auth token") if told and told.strip() else None


def _token(secret: str, origin: str) -> Token:
    """A token is one word of printable ASCII: anything else would break or forge a header."""
    if not secret.isascii() or not secret.isprintable() or " " in secret or len(secret) > 1000:
        mend = "a token is one word of letters, digits and underscores"
        raise ConfigError("this is no token", where=origin, mend=mend)
    return Token(secret, origin)


def open_session(base_url: str, token: Token | None) -> Github:
    """A PyGithub session that retries nothing by itself: limits are ours to keep.

    It knows where an Enterprise server (``https://HOST/api/v3``) has its GraphQL. Raises
    ConfigError for an address that is none.
    """
    from github import Auth, Github

    mend = f"write the API's base address, such as {PUBLIC_API}"
    try:
        if not urlsplit(base_url).hostname:
            raise ConfigError("no usable API address", where=base_url, mend=mend)
        return Github(
            base_url=base_url.rstrip("/"),
            auth=Auth.Token(token.secret) if token else None,
            timeout=_TIMEOUT_SECONDS,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            user_agent="watcher",
            lazy=True,
        )
    except (AssertionError, ValueError) as error:
        raise ConfigError("no usable API address", where=base_url, mend=mend) from error


class Access(Struct, frozen=True):
    """What GitHub says about a token, for ``watcher doctor``."""

    remaining: int
    limit: int
    scopes: tuple[str, ...]
    """Scopes of a classic token; fine-grained ones tell none."""


def check_access(session: Github) -> Access:
    """Ask GitHub about the allowance, which costs nothing of it. Raises RemoteError."""
    from github import GithubException

    try:
        overview = session.get_rate_limit()
    except GithubException as error:
        told = f"refused the token with status {error.status}"
        mend = "renew GITHUB_TOKEN" if error.status in {401, 403} else "try again later"
        raise RemoteError(told, where="GitHub", mend=mend) from error
    except (OSError, ValueError) as error:
        mend = "see that the API's address can be reached from here"
        told = " ".join(str(error).split())[:200]
        raise RemoteError(told, where="GitHub", mend=mend) from error
    core = overview.resources.core
    scopes = tuple(scope.strip() for scope in session.oauth_scopes or ())
    return Access(remaining=core.remaining, limit=core.limit, scopes=scopes)
