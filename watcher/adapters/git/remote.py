"""The other side: a checked address, the token's way to it, and the refs that it advertises."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from watcher.adapters.git.failures import REDIRECT, explain
from watcher.adapters.git.process import Git
from watcher.errors import MirrorError

LIST_SECONDS: Final = 120.0
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_SCP_LIKE: Final = re.compile(
    r"[A-Za-z0-9_.-]{1,100}@[A-Za-z0-9_.-]{1,200}:(?!:)[^\s:][^\s]{0,500}"
)
_FORBIDDEN_IN_REF: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)")


def is_valid_ref(name: str) -> bool:
    """True for a name that git allows for a ref and that cannot be taken for an option."""
    return (
        0 < len(name) <= 250
        and not name.startswith(("-", "/", "."))
        and not name.endswith(("/", "."))
        and name != "@"
        and not _FORBIDDEN_IN_REF.search(name)
    )


class Remote(Struct, frozen=True):
    """A remote repository that git may talk to."""

    address: str
    settings: Mapping[str, str]
    """Git configuration that carries the token, sent to this host only."""
    secret: str
    """What errors must not show."""

    def transport(self, *, compress: bool = True) -> tuple[str, ...]:
        """Options that a local repository needs: it is read as a server with all abilities.

        Without ``compress`` it sends as it has stored, which is far faster for single objects.
        """
        if not self.address.startswith("file://"):
            return ()
        path = unquote(urlsplit(self.address).path)
        abilities = "-c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true"
        trust = shlex.quote(f"safe.directory={path}")
        hooks = "-c core.hooksPath=/dev/null" + ("" if compress else " -c pack.window=0")
        return ("--upload-pack", f"git {abilities} {hooks} -c {trust} upload-pack")

    def reached_by(self, git: Git) -> Git:
        """The same git, with the token for this remote."""
        return replace(git, settings={**(git.settings or {}), **self.settings})

    def failure(self, error: str) -> MirrorError:
        """The one-line error of a network command."""
        return explain(error, where=self.address, remote=True, secret=self.secret)


def check_remote(address: str, token: str | None) -> Remote:
    """The remote at an address. Raises MirrorError for a form that git must not be given."""
    if address.startswith("-") or any(not sign.isprintable() or sign == " " for sign in address):
        raise _refused(address)
    if _SCP_LIKE.fullmatch(address):
        return Remote(address, {}, "")
    try:
        parts = urlsplit(address)
        host, password = parts.hostname or "", parts.password
    except ValueError:
        raise _refused(address) from None
    if parts.scheme not in {"https", "http", "ssh", "file"} or (
        not host and parts.scheme != "file"
    ):
        raise _refused(address)
    if host.startswith("-"):
        raise _refused(address)
    if password is not None:
        raise MirrorError(
            "an address with a password in it", where=host, mend="give the token by GITHUB_TOKEN"
        )
    if not token or not (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)):
        return Remote(address, {}, "")
    proof = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/"
    return Remote(address, {f"http.{origin}.extraHeader": f"Authorization: Basic {proof}"}, token)


def _refused(address: str) -> MirrorError:
    shown = "".join(sign if sign.isprintable() else "?" for sign in address)[:100]
    return MirrorError(
        "not an address that is allowed",
        where=shown,
        mend="write https://…, http://…, ssh://…, git@host:path or file:///path",
    )


class Advertised(Struct, frozen=True):
    """What the remote offers."""

    branches: dict[str, str]
    tags: dict[str, str]
    """Name -> commit, annotated tags followed."""
    moved_to: str | None
    """Where an HTTP redirect led, if it did."""


def list_refs(git: Git, remote: Remote) -> Advertised:
    """Branches and tags of the remote in one request. Raises MirrorError."""
    arguments = ["ls-remote", "--heads", "--tags", *remote.transport(), "--", remote.address]
    outcome = remote.reached_by(git).run(arguments, seconds=LIST_SECONDS)
    if not outcome.is_good:
        raise remote.failure(outcome.error)
    redirect = REDIRECT.search(outcome.error)
    branches: dict[str, str] = {}
    tags: dict[str, str] = {}
    for line in outcome.output.decode("utf-8", "replace").splitlines():
        sha, _, name = line.partition("\t")
        if name.startswith("refs/heads/"):
            branches[name.removeprefix("refs/heads/")] = sha
        elif name.startswith("refs/tags/"):
            tags[name.removeprefix("refs/tags/").removesuffix("^{}")] = sha
    moved_to = redirect[1].rstrip("/") if redirect else None
    return Advertised(
        {name: sha for name, sha in branches.items() if is_valid_ref(name)},
        {name: sha for name, sha in tags.items() if is_valid_ref(name)},
        moved_to,
    )
