"""The pins of recorded cases: the upstream among the configured ones, at the case's own commits."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from watcher.errors import RangeError, UsageError
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.horizon import Horizon, position_of
from watcher.pipeline.pinned import Moves, Pinned, find_pinned
from watcher.ports.store import Store
from watcher.settings import PinSetting


class CasePins:
    """Finds the pin of each case in what is synced; asks once for each pair of commits."""

    def __init__(
        self, store: Store, pins: Mapping[str, tuple[PinSetting, FollowedUpstream]]
    ) -> None:
        """``pins`` goes from ``owner/name``, former names included, to a configured pin."""
        self._store = store
        self._pins = pins
        self._known: dict[tuple[str, str, str | None], tuple[Pinned, ResolvedPin, Horizon]] = {}

    def find(
        self, case: str, upstream: str, sha: str, as_of: str | None
    ) -> tuple[Pinned, ResolvedPin, Horizon]:
        """The pin and horizon of a case. Raises RangeError when it is outside what is synced."""
        key = (upstream, sha, as_of)
        if key not in self._known:
            try:
                self._known[key] = self._find(upstream, sha, as_of)
            except RangeError as error:
                raise RangeError(error.what, where=f"case {case}", mend=error.mend) from error
        return self._known[key]

    def _find(
        self, upstream: str, sha: str, as_of: str | None
    ) -> tuple[Pinned, ResolvedPin, Horizon]:
        if upstream not in self._pins:
            mend = "add a pin of it to watcher.toml and run `watcher sync`"
            raise RangeError(f"{upstream} is not pinned", mend=mend)
        setting, followed = self._pins[upstream]
        moves = Moves(at={setting.name: sha}, as_of={} if as_of is None else {"": as_of})
        pinned = find_pinned(setting, None, followed, self._store, moves)
        pin, horizon = pinned.pin, pinned.horizon
        if not isinstance(pin, ResolvedPin) or horizon is None or pinned.walk is None:
            raise RangeError(f"{upstream} was never synced", mend="run `watcher sync`")
        if position_of(self._store, setting.upstream, pinned.walk, pin.fork_point) is None:
            mend = "set an earlier `since` for its pin and run `watcher sync`"
            raise RangeError(f"{sha[:9]} is older than what is mirrored of {upstream}", mend=mend)
        return pinned, pin, replace(horizon, is_moved=False)


def pins_by_upstream(
    pins: Mapping[str, tuple[PinSetting, FollowedUpstream]],
) -> dict[str, tuple[PinSetting, FollowedUpstream]]:
    """The same, under every name that an upstream has or had."""
    named = {
        name: (setting, followed)
        for setting, followed in pins.values()
        for name in followed.profile.upstreams
    }
    return {**named, **pins}


def refuse_empty(cases: object, where: str) -> None:
    """Raise UsageError when there is no case."""
    if not cases:
        raise UsageError("holds no case", where=where, mend="write one JSON object a line")
