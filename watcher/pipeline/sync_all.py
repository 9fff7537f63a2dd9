"""Syncs every pinned upstream. One failing upstream never ends the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.errors import WatcherError
from watcher.facts.pin import ResolvedPin
from watcher.pins.resolve import fork_address, refs_to_fetch
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.pinned import PinReading, find_pinned
from watcher.pipeline.sync import SyncResult, sync_upstream
from watcher.ports.github import GitHub
from watcher.ports.mirror import MirrorRequest
from watcher.ports.progress import Progress
from watcher.ports.store import Store
from watcher.settings import PinSetting, SecretText
from watcher.settings.addresses import may_have_token

if TYPE_CHECKING:
    from watcher.pipeline.words import WordsResult


class FailedSync(Struct, frozen=True, kw_only=True):
    """An upstream that could not be brought up to date, and why."""

    upstream: str
    error: WatcherError


OpenGitHub = Callable[[PinSetting], AbstractContextManager[GitHub] | None]
"""A session with the API of a pin, closed at the end; None where the API is off."""


def _words(
    followed: FollowedUpstream,
    pins: Sequence[PinReading],
    store: Store,
    open_github: OpenGitHub,
    progress: Progress,
) -> WordsResult | None:
    """What people wrote on GitHub; None where the API is off or no pin is resolved."""
    session = open_github(pins[0].setting)
    if session is None:
        return None
    pinned = [find_pinned(one.setting, one.reading, followed, store).pin for one in pins]
    times = [pin.committed_at for pin in pinned if isinstance(pin, ResolvedPin)]
    if not times:
        return None
    from watcher.pipeline.bring_words import bring_words

    with session as github:
        return bring_words(followed, store, github, since=min(times), progress=progress)


def mirror_request(
    followed: FollowedUpstream, pins: Sequence[PinReading], token: SecretText | None
) -> MirrorRequest:
    """What the mirror of one upstream has to bring for its pins."""
    profile = followed.profile
    first = pins[0].setting
    refs = [ref for one in pins for ref in refs_to_fetch(one.setting, one.reading, profile)]
    forks = [fork_address(one.setting, one.reading, profile) for one in pins]
    forks += [one.setting.git for one in pins[1:] if one.setting.git != first.git]
    since = [one.setting.since for one in pins if one.setting.since is not None]
    return MirrorRequest(
        remote=first.git,
        branch=first.branch or profile.branch,
        refs=tuple(dict.fromkeys(refs)),
        since=_earliest(since),
        tag_pattern=profile.tag_pattern.pattern,
        release_branch_pattern=profile.release_branch_pattern.pattern,
        token=token.reveal() if token and may_have_token(first.git, first.api) else None,
        extra_remotes=tuple(dict.fromkeys(fork for fork in forks if fork is not None)),
        large=profile.large,
        size_hint_mb=profile.size_hint_mb,
    )


def _earliest(since: Sequence[datetime | str]) -> datetime | str | None:
    """The earliest time; a ref is kept when no time is given (the first one named)."""
    times = [one for one in since if isinstance(one, datetime)]
    if times:
        return min(times)
    return since[0] if since else None


def sync_all(
    groups: Mapping[str, tuple[FollowedUpstream, Sequence[PinReading]]],
    store: Store,
    *,
    token: SecretText | None,
    open_github: OpenGitHub,
    now: datetime,
    progress: Progress,
) -> list[SyncResult | FailedSync]:
    """Bring every upstream up to date, in the order of the configuration.

    GitHub's words come after git's facts and never fail them.
    """
    results: list[SyncResult | FailedSync] = []
    for upstream, (followed, pins) in groups.items():
        try:
            request = mirror_request(followed, pins, token)
            result = sync_upstream(followed, store, request, now=now, progress=progress)
            words = _words(followed, pins, store, open_github, progress)
            results.append(replace(result, words=words))
        except WatcherError as error:
            results.append(FailedSync(upstream=upstream, error=error))
    return results
