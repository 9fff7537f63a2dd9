"""How an upstream's own example scripts set each key: what everybody sets says little.

Pure: script texts in, counts out; the counts go to JSON and back, so they are made once per pin
(the readers are imported when scripts are counted: most commands only read the counts).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from watcher.usage.given import GivenSetting
from watcher.usage.values import canonical, canonical_key, is_alike

MAX_VALUES: Final = 200
"""Different values kept per key."""
MAX_SCRIPTS: Final = 2_000


class Examples(Struct, frozen=True):
    """Counts over example scripts."""

    total: int = 0
    """Scripts that set anything."""
    values: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Key -> value in one spelling -> number of scripts that end with it."""

    def share_alike(self, key: str, value: str, default: str | None) -> float | None:
        """Share of scripts in which the key has the same value, 0..1; None without scripts.

        Scripts that do not set the key have the default.
        """
        if not self.total:
            return None
        seen = self.values.get(canonical_key(key), {})
        alike = sum(count for other, count in seen.items() if is_alike(value, other))
        if default is not None and is_alike(value, default):
            alike += self.total - sum(seen.values())
        # Half a script more: an unseen value is rare, not impossible.
        return min(1.0, (alike + 0.5) / (self.total + 1))


def count_examples(scripts: Iterable[tuple[str, str]]) -> Examples:
    """Counts over (path, text) of launch scripts and YAML files."""
    counts: dict[str, Counter[str]] = {}
    total = 0
    for path, text in scripts:
        final = {
            canonical_key(item.key): canonical(item.value)
            for item in _settings(path, text)
            if not item.is_removed and len(item.value) <= 200
        }
        total += bool(final)
        for key, value in final.items():
            counts.setdefault(key, Counter())[value] += 1
        if total >= MAX_SCRIPTS:
            break
    kept = {key: dict(values.most_common(MAX_VALUES)) for key, values in sorted(counts.items())}
    return Examples(total, kept)


def _settings(path: str, text: str) -> Iterable[GivenSetting]:
    from watcher.usage.launch import read_launch_script
    from watcher.usage.yaml_reader import read_yaml

    if path.endswith((".yaml", ".yml")):
        return read_yaml(text, path, {}, {}).settings
    return read_launch_script(text, path, {}).settings
