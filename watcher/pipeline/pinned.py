"""The configured pins, each with its commit and its upstream as far as that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watcher.errors import MirrorError, RangeError, UsageError
from watcher.facts.pin import Pin, ResolvedPin, UnresolvedPin
from watcher.pins.records import Found, NotFound
from watcher.pins.resolve import Upstream, resolve
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.horizon import Horizon, horizon_at, newest_horizon, position_of
from watcher.ports.store import Store
from watcher.ports.walk import Walk
from watcher.report.escape import one_line
from watcher.settings import PinSetting


class PinReading(Struct, frozen=True, kw_only=True):
    """A pin and what its source says now."""

    setting: PinSetting
    reading: Found | NotFound | None


class Pinned(Struct, frozen=True, kw_only=True):
    """One pin, resolved or not, in its upstream."""

    setting: PinSetting
    pin: Pin
    followed: FollowedUpstream
    walk: Walk | None = None
    """None when never synced."""
    horizon: Horizon | None = None

    @property
    def name(self) -> str:
        """Name of the pin."""
        return self.setting.name


class Moves(Struct, frozen=True, kw_only=True):
    """What ``--at`` and ``--as-of`` move: pin name -> ref."""

    at: Mapping[str, str]
    as_of: Mapping[str, str]
    """The key ``""`` stands for every pin."""

    @classmethod
    def parse(cls, at: Sequence[str], as_of: Sequence[str], names: Sequence[str]) -> Moves:
        """From ``PIN=REF`` and ``[PIN=]REF`` as typed. Raises UsageError."""
        moved = parse_refs(at, "--at", names)
        if "" in moved:
            mend = f"write PIN=REF, PIN being one of {', '.join(names)}"
            raise UsageError("which pin is meant", where="--at", mend=mend)
        return cls(at=moved, as_of=parse_refs(as_of, "--as-of", names))

    def head_for(self, name: str) -> str | None:
        """Where the head of a pin's upstream is looked at, or None for the newest."""
        return self.as_of.get(name, self.as_of.get(""))


NO_MOVES = Moves(at={}, as_of={})


def parse_refs(texts: Sequence[str], option: str, names: Sequence[str]) -> dict[str, str]:
    """``[PIN=]REF`` of an option by pin name; ``""`` stands for every pin. Raises UsageError."""
    return dict(_named(text, option, names) for text in texts)


def _named(text: str, option: str, names: Sequence[str]) -> tuple[str, str]:
    name, sign, ref = text.partition("=")
    if not sign:
        return ("", text) if len(names) != 1 else (names[0], text)
    if name not in names:
        mend = f"the pins are {', '.join(names)}"
        raise UsageError(f"no pin is named `{one_line(name, 80)}`", where=option, mend=mend)
    return name, ref


def find_pinned(
    setting: PinSetting,
    reading: Found | NotFound | None,
    followed: FollowedUpstream,
    store: Store,
    moves: Moves = NO_MOVES,
) -> Pinned:
    """One pin as far as the store and the mirror know it.

    Raises RangeError when ``--at`` or ``--as-of`` names what is outside the mirrored range; a pin
    of the configuration that does not resolve is a value with its reason.
    """
    walk = store.walk(setting.upstream)
    if walk is None:
        unknown = UnresolvedPin(
            name=setting.name,
            upstream=setting.upstream,
            ref=setting.ref or str(setting.source),
            reason="never synced",
            mend="run `watcher sync`",
        )
        return Pinned(setting=setting, pin=unknown, followed=followed)
    as_of = moves.head_for(setting.name)
    horizon = (
        newest_horizon(store, walk) if as_of is None else horizon_at(followed, store, walk, as_of)
    )
    at = moves.at.get(setting.name)
    if at is not None:
        setting, reading = replace(setting, ref=at, source=None), None
    upstream = Upstream(
        line=horizon,
        lookup=followed.mirror,
        profile=followed.profile,
        position_of=lambda sha: position_of(store, setting.upstream, walk, sha),
    )
    pin = _resolved_or_why(setting, reading, upstream)
    if at is not None and isinstance(pin, UnresolvedPin):
        raise RangeError(f"{setting.name}={at}: {pin.reason}", where="--at", mend=pin.mend)
    return Pinned(setting=setting, pin=pin, followed=followed, walk=walk, horizon=horizon)


def _resolved_or_why(
    setting: PinSetting, reading: Found | NotFound | None, upstream: Upstream
) -> Pin:
    """The pin; a mirror that cannot be read is the reason of this pin alone."""
    try:
        return resolve(setting, reading, upstream)
    except MirrorError as error:
        return UnresolvedPin(
            name=setting.name,
            upstream=setting.upstream,
            ref=setting.ref or str(setting.source),
            reason=error.what,
            mend=error.mend,
        )


def resolved(pinned: Sequence[Pinned]) -> Iterator[tuple[Pinned, ResolvedPin, Horizon]]:
    """The pins that can be answered for."""
    for one in pinned:
        if isinstance(one.pin, ResolvedPin) and one.horizon is not None:
            yield one, one.pin, one.horizon
