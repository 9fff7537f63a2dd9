"""Checks of names, refs and addresses that come from a user's file before git sees them.

Pure. Each check returns why a text is refused, or None.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

UPSTREAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_.-]{1,100}")
PIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_GITHUB_URL = re.compile(r"(?:https?://(?:www\.)?|ssh://git@|git@)github\.com[/:](.+)")
_SCP_FORM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^-\s][^\s]*")
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_TAKE_THE_TOKEN = frozenset({"github.com", "localhost", "127.0.0.1", "::1"})
_REF_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")


def upstream_of(text: str) -> str | None:
    """``owner/name`` of a GitHub address or of the plain form, or None."""
    match = _GITHUB_URL.match(text)
    name = (match.group(1) if match else text).split("?")[0].split("#")[0].strip("/")
    name = name.removesuffix(".git")
    return name if UPSTREAM.fullmatch(name) and ".." not in name else None


def refuse_ref(ref: str) -> str | None:
    """Why git could not take a text as a sha, tag or branch."""
    if ref.startswith("-"):
        return 'starts with "-"'
    if ".." in ref or "@{" in ref:
        return 'holds ".." or "@{"'
    if _REF_FORBIDDEN.search(ref):
        return "holds a blank, a control character or one of ~^:?*[\\"
    if ref.endswith((".lock", "/", ".")) or ref.startswith("/") or "//" in ref or len(ref) > 200:
        return "is not a name that git accepts"
    return None


def refuse_git_address(address: str) -> str | None:
    """Why an address is not fetched from."""
    if re.search(r"[\x00-\x20\x7f]", address) or len(address) > 500:
        return "holds a blank or a control character, or is too long"
    if _SCP_FORM.fullmatch(address) and "::" not in address:
        return None
    try:
        parts = urlsplit(address)
        host, password = parts.hostname or "", parts.password
    except ValueError:
        return "is not an address"
    if parts.scheme == "file":
        return None if address.startswith("file:///") else "needs an absolute path after file://"
    if parts.scheme not in {"https", "http", "ssh"}:
        return "is not https://, http://, ssh://, git@ or file:///"
    if password or (parts.username and parts.scheme != "ssh"):
        return "holds a credential"
    if not _HOST.fullmatch(host) or (parts.username or "").startswith("-"):
        return "names no host"
    return None


def refuse_path(path: str) -> str | None:
    """Why a text is not a path inside an upstream."""
    if (
        path.startswith(("-", "/", ":"))
        or ".." in path.split("/")
        or re.search(r"[\x00-\x1f]", path)
    ):
        return "is not a plain relative path"
    return None


def github_host(api: str) -> str:
    """The host whose token an API takes: ``github.com``, or an Enterprise server's own."""
    try:
        host = urlsplit(api).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("api.") if host.endswith("github.com") else host


def may_have_token(address: str, api: str | None) -> bool:
    """True for a git address at the host that the GitHub token is for, or on this machine."""
    try:
        host = (urlsplit(address).hostname or "").removeprefix("www.")
    except ValueError:
        return False
    return host in _TAKE_THE_TOKEN or (api is not None and host == github_host(api) != "")


def is_http_address(address: str) -> bool:
    """True for an http(s) address with a host and no credential."""
    return address.startswith(("http://", "https://")) and refuse_git_address(address) is None
