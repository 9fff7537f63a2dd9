"""The user's settings against an upstream's own configuration and examples at the pin.

Pure. A setting counts by how far it departs from what everyone has: ``departs`` compares it with
the pin's default, ``rarity`` with the example scripts. Keys that the user leaves alone come in with
the pin's default, marked as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from watcher.facts.usage import Setting, Source
from watcher.usage.examples import Examples
from watcher.usage.given import GivenSetting
from watcher.usage.glosses import Gloss
from watcher.usage.values import canonical, canonical_key


class Baseline(Struct, frozen=True, kw_only=True):
    """What one upstream ships at the pin. Made once per (upstream, sha)."""

    upstream: str
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Dotted key -> value of the composed default configuration."""
    source: str = ""
    """The upstream's file that the defaults are composed from."""
    examples: Examples = field(default_factory=Examples)
    glosses: tuple[Gloss, ...] = ()
    """Words that stand for a value of a setting."""
    reason: str | None = None
    """Why there are no defaults, or None."""


class Compared(Struct, frozen=True):
    """The settings in force, and keys of an upstream's own sections that it does not know."""

    settings: tuple[Setting, ...]
    unknown: tuple[GivenSetting, ...]


def compare(given: Sequence[GivenSetting], baselines: Sequence[Baseline]) -> Compared:
    """The settings in force: the user's last word per key, then the pins' defaults."""
    last: dict[str, GivenSetting] = {}
    for item in given:
        last.pop(canonical_key(item.key), None)
        if not item.is_removed:
            last[canonical_key(item.key)] = item
    removed = [canonical_key(item.key) for item in given if item.is_removed]
    own = tuple(_own(key, item, baselines) for key, item in last.items())
    defaults = tuple(item for baseline in baselines for item in _defaults(baseline, last, removed))
    known = {key for baseline in baselines for key in baseline.defaults}
    sections = {key.partition(".")[0] for key in known}
    unknown = tuple(
        item
        for key, item in last.items()
        if "." in key and not item.is_added and key.partition(".")[0] in sections
        if not _is_known(key, known)
    )
    return Compared(own + defaults, unknown)


def _is_known(key: str, known: set[str]) -> bool:
    """True also for a key below a default that is an open mapping."""
    parts = key.split(".")
    return any(".".join(parts[:size]) in known for size in range(len(parts), 0, -1)) or any(
        other.startswith(f"{key}.") for other in known
    )


def _own(key: str, item: GivenSetting, baselines: Sequence[Baseline]) -> Setting:
    default = next((one.defaults[key] for one in baselines if key in one.defaults), None)
    share = _share(item, default, baselines)
    return Setting(
        key=item.key,
        value=item.value,
        source=item.source,
        departs=default is None or canonical(default) != canonical(item.value),
        rarity=None if share is None else round(1 - share, 4),
    )


def _share(item: GivenSetting, default: str | None, baselines: Sequence[Baseline]) -> float | None:
    """The smallest deviation counts: a key belongs to the upstream whose examples set it."""
    shares = [one.examples.share_alike(item.key, item.value, default) for one in baselines]
    return max((share for share in shares if share is not None), default=None)


def _defaults(
    baseline: Baseline, own: Mapping[str, GivenSetting], removed: Sequence[str]
) -> list[Setting]:
    source = Source(f"{baseline.upstream}:{baseline.source}")
    return [
        Setting(key=key, value=value, source=source, is_default=True, departs=False)
        for key, value in baseline.defaults.items()
        if key not in own and not any(key == gone or key.startswith(f"{gone}.") for gone in removed)
    ]
