"""Git and wheel addresses as requirement files and scripts write them -> readings. Pure."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from watcher.facts.usage import Source
from watcher.pins.records import Found, NotFound, Ref, Refusal, reading_of
from watcher.pins.versions import PIN_A_COMMIT, read_git_ref, read_version
from watcher.settings.addresses import refuse_git_address, upstream_of

_EGG = re.compile(r"(?:^|&)egg=([A-Za-z0-9._-]+)")
_OWNER_AND_NAME = re.compile(r"[/:]([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]+?)(?:\.git)?/?$")
_FULL_SHA = re.compile(r"[0-9a-f]{40}")


def read_git_address(
    written: str, where: Source, *, dist: str = "", ref: str | None = None
) -> Found | NotFound:
    """The reading of ``git+https://host/owner/name.git@ref#egg=dist`` (``git+`` may lack).

    ``ref``, when given, is what was checked out afterwards.
    """
    text = written.strip()[:1000].removeprefix("git+")
    address, _, fragment = text.partition("#")
    address, _, query = address.partition("?")
    address, inner_ref = split_ref(address)
    egg = _EGG.search(fragment)
    upstream = owner_and_name(address)
    name = dist or (egg[1] if egg else "") or _repository_name(address)
    outcome = read_git_ref(ref or inner_ref or _query_ref(query))
    clean = without_credential(address)
    git = clean if refuse_git_address(clean) is None else None
    shown = f"{clean}@{ref or inner_ref}" if ref or inner_ref else clean
    return reading_of(outcome, dist=name, where=where, written=shown, upstream=upstream, git=git)


def split_ref(address: str) -> tuple[str, str | None]:
    """A git address without its ``@ref``, and the ref."""
    # A ref may hold slashes (release/v0.8): take the first "@" after the host's part.
    host_end = address.find("/", address.find("://") + 3) if "://" in address else address.find(":")
    at = address.find("@", max(host_end, 0))
    return (address[:at], address[at + 1 :]) if at >= 0 else (address, None)


def owner_and_name(address: str) -> str | None:
    """``owner/name`` of a git address on any host, or None."""
    known = upstream_of(address)
    if known:
        return known
    match = _OWNER_AND_NAME.search(address)
    return match[1] if match else None


def local_path(address: str) -> str:
    """The path of a ``file://`` address, its escapes undone."""
    return unquote(address.removeprefix("file://").partition("#")[0])


def without_credential(address: str) -> str:
    """An http address without ``user:password@``."""
    return re.sub(r"^(https?://)[^/@]*@", r"\1", address)


def read_archive_address(written: str, where: Source, *, dist: str = "") -> Found | NotFound | None:
    """The reading of a wheel's or an index's address, or None when it tells nothing.

    A 40-hex part of the path is a commit; else a wheel's file name holds a version.
    """
    try:
        parts = urlsplit(written.strip()[:1000])
        segments, host = unquote(parts.path).split("/"), parts.hostname or ""
    except ValueError:
        return None
    shas = [segment for segment in segments if _FULL_SHA.fullmatch(segment)]
    file_name = segments[-1] if segments[-1].endswith(".whl") else ""
    name = dist or (file_name.split("-")[0] if file_name else _site_name(host))
    outcome: Ref | Refusal
    if len(shas) == 1:
        outcome = Ref(shas[0])
    elif file_name.count("-") >= 4:
        outcome = read_version(file_name.split("-")[1])
    elif dist or file_name:
        outcome = Refusal("the address names no commit and no version", PIN_A_COMMIT)
    else:
        return None
    shown = f"{host}/{segments[-1]}"
    return reading_of(outcome, dist=name, where=where, written=shown) if name else None


def _repository_name(address: str) -> str:
    return address.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1].removesuffix(".git")


def _query_ref(query: str) -> str | None:
    match = re.search(r"(?:^|&)(?:rev|tag)=([^&]+)", query)
    return unquote(match[1]) if match else None


def _site_name(host: str) -> str:
    """``vllm`` of ``wheels.vllm.ai``: a project's own wheel site carries its name."""
    labels = host.split(".")
    return labels[-2] if len(labels) >= 2 else ""
