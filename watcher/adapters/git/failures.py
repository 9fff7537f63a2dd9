"""Turns what git wrote on standard error into one ``MirrorError`` with its mend. Pure."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from watcher.errors import MirrorError


class Failure(Struct, frozen=True):
    """A known way in which git fails."""

    signs: re.Pattern[str]
    what: str
    mend: str


def _sign(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


DISK_FULL: Final = Failure(
    _sign(r"no space left on device|disk quota exceeded"),
    "the disk is full",
    "free some space, then run it again; nothing is lost",
)
NETWORK: Final = (
    Failure(
        _sign(
            r"authentication failed|could not read username|terminal prompts disabled"
            r"|invalid credentials|returned error: 40[13]|permission denied \(publickey"
            r"|http basic: access denied|host key verification failed"
        ),
        "the remote refused the credentials",
        "set GITHUB_TOKEN (https) or a key without passphrase prompt (ssh)",
    ),
    Failure(
        _sign(r"dubious ownership"),
        "the remote repository belongs to another user",
        "give the directory to the user who runs watcher",
    ),
    Failure(
        _sign(
            r"repository .*not found|returned error: 404|does not appear to be a git repository"
            r"|does not exist|no such file or directory|not a git repository"
        ),
        "there is no such repository",
        "check `git` and `upstream` of the pin",
    ),
    Failure(
        _sign(
            r"could not resolve|failed to connect|couldn't connect|connection (refused|reset|timed)"
            r"|timed out|unable to access|network is unreachable|no route to host|early eof"
            r"|operation too slow|hung up unexpectedly|rpc failed|could not read from remote"
            r"|returned error: 5\d\d|gnutls|ssl|bad gateway"
        ),
        "the remote cannot be reached",
        "check the network, the proxy and the address; what is mirrored stays usable",
    ),
)
LOCAL: Final = (
    Failure(
        _sign(
            r"unable to read|missing (blob|tree|commit|object)|bad (object|tree|head|sha)"
            r"|corrupt|loose object|packfile|not a git repository|invalid object|failed to read"
            r"|could not (parse|read|open)|unable to (open|find|parse)|garbage|bad file|broken"
            r"|inflate|index file|bad revision"
        ),
        "the mirror is damaged",
        "",
    ),
)
EITHER_SIDE: Final = Failure(
    LOCAL[0].signs,
    "the mirror or the remote is damaged",
    "delete the mirror (below `store.mirrors`) and run `watcher sync`; if that fails too, it is the"
    " remote",
)
"""The same signs while both repositories are at work."""

NOT_OURS: Final = _sign(
    r"not our ref ([0-9a-f]{40})|unadvertised object ([0-9a-f]{40})"
    r"|couldn't find remote ref ([0-9a-f]{40})"
)
LOST_OBJECT: Final = _sign(
    r"^(?:remote: [^\n]{0,200}?(?:unable to read|missing blob(?: object)?|bad object"
    r"|cannot read(?: object)?|could not read)|fatal: missing blob object) \W{0,3}([0-9a-f]{40})"
)
NO_FILTER: Final = _sign(r"filtering not recognized by server")
NO_SHALLOW: Final = _sign(
    r"does not support shallow|does not support --(shallow|deepen|depth)|dumb http transport"
    r"|server does not support"
)
REDIRECT: Final = _sign(r"warning: redirecting to (\S+)")
_USERINFO: Final = re.compile(r"(?<=://)[^/@\s]{1,200}@")


def explain(error: str, *, where: str, remote: bool = False, secret: str = "") -> MirrorError:
    """The one-line error for what git wrote; ``where`` is the mirror's directory or the remote."""
    clean = redact(error, secret)
    for failure in (DISK_FULL, *((*NETWORK, EITHER_SIDE) if remote else LOCAL)):
        if failure.signs.search(clean):
            mend = failure.mend or f"delete {where}; `watcher sync` rebuilds it"
            place = "this machine" if failure is DISK_FULL else where
            return MirrorError(f"{failure.what}: {last_line(clean)}", where=place, mend=mend)
    return MirrorError(f"git failed: {last_line(clean)}", where=where)


def redact(text: str, secret: str = "") -> str:
    """Text without the secret and without user names and passwords in addresses."""
    if secret:
        text = text.replace(secret, "…")
    return _USERINFO.sub("", text)


def last_line(error: str) -> str:
    """The line that says most: the last that is marked fatal or an error, else the last."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    marked = [line for line in lines if re.match(r"(remote: )?(fatal|error):", line)]
    best = (marked or lines or ["no message"])[-1 if not marked else 0]
    return "".join(sign if sign.isprintable() else " " for sign in best)[:300]
