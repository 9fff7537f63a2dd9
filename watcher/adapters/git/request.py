"""What is wanted of a remote: which of its refs belong in the mirror. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from watcher.adapters.git.remote import Advertised, is_valid_ref
from watcher.errors import MirrorError
from watcher.pins.releases import match_release
from watcher.ports.mirror import MirrorRequest

FULL_SHA: Final = re.compile(r"[0-9a-f]{40}")
SHORT_SHA: Final = re.compile(r"[0-9a-f]{4,39}")
PINS: Final = "refs/watcher/"


class Wanted(Struct, frozen=True, kw_only=True):
    """The refs to fetch, by their name in the mirror."""

    branch: str
    head: str
    named: Mapping[str, str] = field(default_factory=dict)
    """Ref -> commit: pinned tags and branches, the ref of ``since``."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Release tags, all ages."""
    releases: Mapping[str, str] = field(default_factory=dict)
    """Release branches, all ages."""
    shas: tuple[str, ...] = ()
    """Pinned commits without a name."""
    short: tuple[str, ...] = ()
    """Abbreviated commits, looked up after the fetch."""
    since: str | None = None
    """Commit of the ref that ``since`` names."""
    missing: tuple[tuple[str, str], ...] = ()

    @property
    def pinned(self) -> tuple[str, ...]:
        """Commits that must be inside with their merge base."""
        return tuple(dict.fromkeys([*self.named.values(), *self.shas]))

    @property
    def tracked(self) -> str:
        """The tracked branch's ref."""
        return f"refs/heads/{self.branch}"


def choose(request: MirrorRequest, advertised: Advertised) -> Wanted:
    """What the request asks of what the remote advertises. Raises MirrorError without branch."""
    head = advertised.branches.get(request.branch)
    if head is None:
        raise _unknown_branch(request, advertised)
    tags = _matching(request.tag_pattern, advertised.tags, "refs/tags/")
    releases = _matching(request.release_branch_pattern, advertised.branches, "refs/heads/")
    releases.pop(f"refs/heads/{request.branch}", None)
    named: dict[str, str] = {}
    shas: dict[str, None] = {}
    short: list[str] = []
    missing: list[tuple[str, str]] = []
    since = request.since if isinstance(request.since, str) else None
    for ref in dict.fromkeys([*request.refs, *([since] if since else [])]):
        name = _named(ref, advertised) or _release(ref, advertised, request.tag_pattern)
        if name is not None:
            named[name] = _commit(name, advertised)
        elif FULL_SHA.fullmatch(ref):
            shas[ref] = None
        elif SHORT_SHA.fullmatch(ref):
            short.append(ref)
        else:
            missing.append((ref, "no such tag or branch"))
    named.pop(f"refs/heads/{request.branch}", None)
    return Wanted(
        branch=request.branch,
        head=head,
        named=named,
        tags=tags,
        releases=releases,
        shas=tuple(shas),
        short=tuple(short),
        since=_commit_of(since, advertised) if since else None,
        missing=tuple(missing),
    )


def _matching(pattern: str, refs: Mapping[str, str], prefix: str) -> dict[str, str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise MirrorError(f"a pattern that cannot be read: {error}", where=pattern[:100]) from None
    return {prefix + name: sha for name, sha in refs.items() if compiled.match(name)}


def _named(ref: str, advertised: Advertised) -> str | None:
    """The full name of a tag or branch, a tag first."""
    if not is_valid_ref(ref):
        return None
    for prefix, names in (("refs/tags/", advertised.tags), ("refs/heads/", advertised.branches)):
        name = ref.removeprefix(prefix)
        if name in names:
            return prefix + name
    return None


def _release(ref: str, advertised: Advertised, tag_pattern: str) -> str | None:
    """The full name of the tag of a plain version number (``0.6.1`` for ``v0.6.1``)."""
    tag = match_release(ref, advertised.tags, tag_pattern)
    return None if tag is None else f"refs/tags/{tag}"


def _commit(name: str, advertised: Advertised) -> str:
    if name.startswith("refs/tags/"):
        return advertised.tags[name.removeprefix("refs/tags/")]
    return advertised.branches[name.removeprefix("refs/heads/")]


def _commit_of(ref: str, advertised: Advertised) -> str | None:
    name = _named(ref, advertised)
    if name is not None:
        return _commit(name, advertised)
    return ref if FULL_SHA.fullmatch(ref) else None


def _unknown_branch(request: MirrorRequest, advertised: Advertised) -> MirrorError:
    likely = [name for name in ("main", "master", "develop") if name in advertised.branches]
    other = likely or sorted(advertised.branches)[:3]
    mend = f"set `branch`; the remote has {', '.join(other)}" if other else "the remote is empty"
    return MirrorError(f"no branch {request.branch!r}", where=request.remote, mend=mend)


def offered(wanted: Wanted) -> dict[str, str]:
    """All refs that matter and where the remote says they are."""
    shas = {PINS + sha: sha for sha in (*wanted.shas, *wanted.short)}
    return {
        **wanted.tags,
        **wanted.releases,
        **wanted.named,
        **shas,
        wanted.tracked: wanted.head,
    }


def asked(request: MirrorRequest) -> str:
    """What of a request decides what is fetched; no secret."""
    return repr(
        (
            request.remote,
            request.branch,
            sorted(request.refs),
            request.since,
            request.tag_pattern,
            request.release_branch_pattern,
            sorted(request.extra_remotes),
        )
    )
