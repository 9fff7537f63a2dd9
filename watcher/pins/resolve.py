"""A pin as written and a mirror in, the commit that it stands for, or why there is none, out.

Pure: the mirror is asked through ``CommitLookup``. Nothing is guessed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from watcher.facts.change import BEFORE_RANGE
from watcher.facts.pin import Pin, ResolvedPin, UnresolvedPin
from watcher.facts.ref import RefKind
from watcher.pins.lookup import CommitLookup, Line
from watcher.pins.records import SHA, Found, NotFound, Outcome, Ref, Refusal
from watcher.pins.releases import find_release, is_version, near_releases, release_sha
from watcher.pins.targets import fork_of, target_of
from watcher.pins.versions import PIN_A_COMMIT, PIN_THE_COMMIT
from watcher.settings import PinSetting
from watcher.upstreams.profile import Profile


class Upstream(Struct, frozen=True, kw_only=True):
    """What is known of an upstream when its pins are resolved."""

    line: Line
    lookup: CommitLookup
    profile: Profile
    position_of: Callable[[str], int | None]
    """Position of a first-parent commit; None when it is older than the walk."""


def resolve(setting: PinSetting, reading: Outcome | None, upstream: Upstream) -> Pin:
    """The pin of a setting; ``reading`` is what its source gave, None for a plain ``ref``."""
    if setting.ref is not None:
        return _resolve_ref(setting, Ref(setting.ref), upstream, is_read=False)
    if reading is None:
        source = setting.source or "source"
        return _unresolved(setting, str(source), f"{source} names no commit", PIN_A_COMMIT)
    if isinstance(reading, NotFound):
        reason = f"{reading.where}: {reading.reason}"
        return _unresolved(setting, reading.written, reason, reading.mend)
    ref = Ref(reading.ref, reading.is_version, reading.note)
    fork = fork_of(reading, target_of(upstream.profile, setting.upstream))
    note = _join(reading.note, f"from the fork {fork}" if fork else None)
    pin = _resolve_ref(setting, replace(ref, note=note), upstream, is_read=True)
    if isinstance(pin, UnresolvedPin):
        return replace(pin, reason=f"{reading.where}: {pin.reason}")
    return pin


def refs_to_fetch(
    setting: PinSetting, reading: Outcome | None, profile: Profile
) -> tuple[str, ...]:
    """Names that the mirror should bring for a pin beside the branch and the release tags."""
    refs = [setting.ref] if setting.ref else []
    if isinstance(reading, Found):
        refs.append(reading.ref)
    by_table = (release_sha(ref, profile) for ref in refs)
    return tuple(dict.fromkeys([*refs, *(sha for sha in by_table if sha)]))


def fork_address(setting: PinSetting, reading: Outcome | None, profile: Profile) -> str | None:
    """Address of a fork or checkout that a pinned commit may have to be fetched from."""
    if not isinstance(reading, Found) or reading.git is None or reading.git == setting.git:
        return None
    target = target_of(profile, setting.upstream)
    is_local = reading.git.startswith("file://")
    return reading.git if is_local or fork_of(reading, target) else None


def _resolve_ref(setting: PinSetting, ref: Ref, upstream: Upstream, *, is_read: bool) -> Pin:
    located = _locate(ref, upstream, is_read=is_read)
    if isinstance(located, Refusal):
        return _unresolved(setting, ref.ref, located.reason, located.mend)
    return _place(setting, ref.ref, located, upstream)


def _locate(ref: Ref, upstream: Upstream, *, is_read: bool) -> Ref | Refusal:
    """The full sha of a ref, with a note."""
    if ref.is_version:
        return _locate_version(ref, upstream)
    matches = list(upstream.lookup.look_up(ref.ref))
    tags = [match for match in matches if match.kind is RefKind.TAG]
    matches = tags or matches
    if len({match.sha for match in matches}) > 1:
        shas = ", ".join(sorted({match.sha[:12] for match in matches})[:3])
        return Refusal(f'"{ref.ref}" is ambiguous: {shas}', "write more digits of the sha")
    if not matches:
        return _unknown(ref, upstream)
    match = matches[0]
    if match.kind is not RefKind.BRANCH:
        return Ref(match.sha, note=ref.note)
    if is_read:
        return Refusal(f'"{ref.ref}" is a branch and moves', PIN_THE_COMMIT)
    return Ref(match.sha, note=_join(ref.note, f'the branch "{ref.ref}" moves; this is its tip'))


def _locate_version(ref: Ref, upstream: Upstream) -> Ref | Refusal:
    tag = find_release(ref.ref, upstream.line.tags, upstream.profile)
    if tag is not None:
        return Ref(tag.sha, note=_join(ref.note, f"release {tag.name}"))
    sha = release_sha(ref.ref, upstream.profile)
    if sha is None:
        near = near_releases(ref.ref, upstream.line.tags, upstream.profile)
        mend = f"near releases: {', '.join(near)}" if near else PIN_A_COMMIT
        return Refusal(f"no release {ref.ref} is tagged or listed", mend)
    if upstream.lookup.committed_at(sha) is None:
        return Refusal(f"release {ref.ref} ({sha[:12]}) is not in the mirror", 'run "watcher sync"')
    return Ref(sha, note=_join(ref.note, f"release {ref.ref} by the release table"))


def _unknown(ref: Ref, upstream: Upstream) -> Ref | Refusal:
    """A name that the mirror does not know: perhaps a version number, else a refusal."""
    if SHA.fullmatch(ref.ref.lower()):
        known = upstream.lookup.committed_at(upstream.line.head)
        until = f" (known up to {known:%Y-%m-%d})" if known else ""
        mend = 'run "watcher sync"; for a fork\'s commit set git to the fork'
        if len(ref.ref) < 40:  # a server gives no commit by an abbreviation
            mend = 'write all 40 digits of the sha and run "watcher sync"'
        return Refusal(f"commit {ref.ref[:12]} is not in the mirror{until}", mend)
    as_version = _locate_version(Ref(ref.ref, is_version=True, note=ref.note), upstream)
    if isinstance(as_version, Ref) or release_sha(ref.ref, upstream.profile):
        return as_version
    near = ", ".join(_near_names(ref.ref, upstream))
    mend = f'near it: {near}; or run "watcher sync"' if near else 'run "watcher sync"'
    return Refusal(f'no tag, branch or release "{ref.ref[:60]}" is mirrored', mend)


def _near_names(ref: str, upstream: Upstream) -> list[str]:
    """Neighbours of a version number, else names that are spelled alike."""
    tags = upstream.line.tags
    if is_version(ref):
        return near_releases(ref, tags, upstream.profile)
    return difflib.get_close_matches(ref, [*(tag.name for tag in tags), upstream.line.branch])


def _place(setting: PinSetting, written: str, located: Ref, upstream: Upstream) -> Pin:
    """Where on the tracked line a commit stands, and what it carries on top."""
    sha, line, lookup = located.ref, upstream.line, upstream.lookup
    committed_at = lookup.committed_at(sha)
    fork_point = _fork_point(sha, upstream, is_readable=committed_at is not None)
    if fork_point is None or committed_at is None:
        reason = f'{sha[:12]} shares no mirrored history with "{line.branch}"'
        return _unresolved(setting, written, reason, 'set an earlier since and run "watcher sync"')
    carried = tuple(lookup.commits_between(fork_point, sha)) if fork_point != sha else ()
    branch = _release_branch(sha, upstream) if carried else None
    position = upstream.position_of(fork_point)
    return ResolvedPin(
        name=setting.name,
        upstream=setting.upstream,
        ref=written,
        sha=sha,
        committed_at=committed_at,
        position=BEFORE_RANGE if position is None else position,
        fork_point=fork_point,
        branch=branch,
        carried=carried,
        note=_join(located.note, _standing(located.ref, fork_point, carried, branch, upstream)),
    )


def _fork_point(sha: str, upstream: Upstream, *, is_readable: bool) -> str | None:
    """Where a commit leaves the tracked line: itself when its place there is known, else by git,
    which walks down from the head and tells damage from absence.
    """
    own, head = upstream.position_of(sha), upstream.position_of(upstream.line.head)
    if is_readable and own is not None and head is not None and own <= head:
        return sha
    return upstream.lookup.fork_point(sha, upstream.line.head)


def _release_branch(sha: str, upstream: Upstream) -> str | None:
    """The release branch that holds a commit beside the tracked line."""
    branches = upstream.line.release_branches
    return next((name for name, tip in branches if upstream.lookup.is_ancestor(sha, tip)), None)


def _standing(
    sha: str, fork_point: str, carried: tuple[str, ...], branch: str | None, upstream: Upstream
) -> str | None:
    """How a commit beside the tracked line came to be there."""
    if not carried:
        return None
    line = upstream.line
    count = f"{len(carried)} commit{'s' if len(carried) > 1 else ''}"
    if branch is not None:
        return f"on {branch}, {count} beside {line.branch} since {fork_point[:9]}"
    tag = next((tag.name for tag in line.tags if tag.sha == sha), None)
    if tag is not None:
        return f"tag {tag} lies {count} beside {line.branch}"
    if upstream.lookup.is_ancestor(sha, line.head):
        return None
    return f"not an upstream commit: {count} on top of {fork_point[:9]}"


def _join(*notes: str | None) -> str | None:
    return "; ".join(note for note in notes if note) or None


def _unresolved(setting: PinSetting, ref: str, reason: str, mend: str) -> UnresolvedPin:
    return UnresolvedPin(
        name=setting.name, upstream=setting.upstream, ref=ref, reason=reason, mend=mend
    )
