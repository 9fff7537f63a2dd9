"""Examines an installation: git, configuration, store, mirrors, pins, token, deliveries.

Beside ``app``: it must also work where the application cannot be opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from watcher.app import App, git_version, open_app
from watcher.errors import ConfigError, MirrorError, StoreError, WatcherError
from watcher.facts.pin import UnresolvedPin
from watcher.pipeline.delivery import unmended_losses
from watcher.pipeline.upstream_name import renamed_to
from watcher.report.words import ago, count, day, renamed_phrase
from watcher.settings.records import ChannelKind

OLDEST_GIT: Final = (2, 38)
"""The first git whose merge-tree writes trees: trial picks need it."""


class Examined(Struct, frozen=True, kw_only=True):
    """Something that was looked at."""

    what: str
    is_good: bool
    detail: str
    mend: str = ""


def examine(config: str | None, *, deep: bool = False) -> list[Examined]:
    """Everything that was looked at, in order; never raises for what it finds."""
    findings = [_examined("git", _git)]
    try:
        app = open_app(None if config is None else Path(config))
    except WatcherError as error:
        return [*findings, _bad("configuration", error)]
    try:
        findings += [_examined(what, look) for what, look in _looks(app, deep=deep)]
    finally:
        app.close()
    return findings


def _examined(what: str, look: Callable[[], str]) -> Examined:
    """The outcome of one look: what it returns is good news, what it raises is bad."""
    try:
        return Examined(what=what, is_good=True, detail=look())
    except WatcherError as error:
        return _bad(what, error)


def _bad(what: str, error: WatcherError) -> Examined:
    detail = f"{error.where}: {error.what}" if error.where else error.what
    return Examined(what=what, is_good=False, detail=detail, mend=error.mend)


def _looks(app: App, *, deep: bool) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "configuration", lambda: f"{app.settings.origin}, {count(len(app.settings.pins), 'pin')}"
    yield "store", lambda: _store(app, deep=deep)
    yield "advisories", lambda: f"{len(app.advisories)} entries"
    for upstream in app.upstreams:
        yield f"mirror {upstream}", partial(_mirror, app, upstream, deep=deep)
        yield f"sync {upstream}", partial(_sync, app, upstream)
    for pin in app.settings.pins:
        yield f"pin {pin.name}", partial(_pin, app, pin.name)
    yield "usage", lambda: _usage(app)
    yield "GitHub token", lambda: _token(app)
    yield "channels", lambda: _channels(app)
    yield "deliveries", lambda: _deliveries(app)


def _git() -> str:
    version = git_version(os.environ)
    told = ".".join(map(str, version)) or "no answer"
    if version[:2] < OLDEST_GIT:
        mend = "install git 2.39 or newer"
        raise MirrorError(f"{told} is too old for trial picks", mend=mend)
    return told


def _store(app: App, *, deep: bool) -> str:
    walks = [walk for upstream in app.upstreams if (walk := app.store.walk(upstream))]
    problems = app.store_problems() if deep else []
    if problems:
        mend = "put a copy back (`watcher db backup` makes them), or delete the store and sync"
        raise StoreError(problems[0], mend=mend)
    return f"{app.store_state().address}, {count(len(walks), 'upstream')} known"


def _mirror(app: App, upstream: str, *, deep: bool) -> str:
    mirror = app.mirror(upstream)
    state = mirror.state()
    if state is None:
        raise MirrorError("not there yet", mend="run `watcher sync`")
    wrong = mirror.check() if deep else None
    if wrong is not None:
        raise MirrorError(wrong, mend="delete the mirror's directory and run `watcher sync`")
    return f"{state.branch} at {state.head[:9]}, {count(len(state.tags), 'release tag')}"


def _sync(app: App, upstream: str) -> str:
    walk = app.store.walk(upstream)
    if walk is None:
        raise StoreError("never synced", mend="run `watcher sync`")
    now = app.clock.now()
    told = f"known up to {day(walk.head_at)}, synced {ago(walk.synced_at, now)}"
    if now - walk.synced_at > app.settings.schedule.stale_after:
        raise StoreError(told, mend="run `watcher sync`; see that the service runs")
    return told


def _pin(app: App, name: str) -> str:
    pin = app.pinned(names=[name])[0].pin
    if isinstance(pin, UnresolvedPin):
        raise ConfigError(pin.reason, mend=pin.mend)
    told = f"{pin.ref} is {pin.sha[:9]} of {day(pin.committed_at)}"
    present = renamed_to(app.store, pin.upstream)
    return f"{told}; {renamed_phrase(pin.upstream, present)}" if present else told


def _usage(app: App) -> str:
    usage = app.user(app.pinned()).usage
    own = [one for one in usage.settings if not one.is_default]
    if not (own or usage.code or usage.keywords or usage.paths):
        raise ConfigError("nothing is known of what you run", mend="fill [usage] in watcher.toml")
    told = f"{count(len(own), 'setting')}, {count(len(usage.code), 'use')} of upstream code"
    if usage.not_understood:
        told += f", {len(usage.not_understood)} not understood (`watcher usage`)"
    return told


def _token(app: App) -> str:
    asked = {pin.api: pin for pin in app.settings.pins if pin.api is not None}
    if not asked:
        return "not needed: api is off"
    told = []
    for pin in asked.values():
        access = app.github_access(pin)
        if access is None:
            return (
                "none: git facts are complete; issues come 60 requests an hour (set GITHUB_TOKEN)"
            )
        told.append(f"accepted, {access.remaining:,} of {access.limit:,} requests left this hour")
    return "; ".join(told)


def _channels(app: App) -> str:
    secrets = app.settings.secrets
    needed = {
        ChannelKind.EMAIL: ("WATCHER_SMTP_URL", secrets.smtp_url),
        ChannelKind.SLACK: ("WATCHER_SLACK_WEBHOOK", secrets.slack_webhook),
        ChannelKind.FEISHU: ("WATCHER_FEISHU_WEBHOOK", secrets.feishu_webhook),
    }
    for channel in app.settings.digest.channels:
        variable, secret = needed[channel.kind]
        if secret is None:
            raise ConfigError(f"{channel.kind} cannot be sent to", mend=f"set {variable}")
    return count(len(app.settings.digest.channels), "receiver") + " of the digest"


def _deliveries(app: App) -> str:
    lost = unmended_losses(app.store, app.clock.now())
    if lost:
        raise StoreError(
            f"given up (attempts: {lost[0].attempts}): {lost[0].key}: {lost[0].error}",
            mend="mend the channel, then `watcher digest --send`",
        )
    return "none given up"
