"""Files and declarations read to a usage in one call; the use case reads and joins in two steps."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.facts.usage import Usage
from watcher.upstreams.profile import Profile
from watcher.usage.baseline import Baseline
from watcher.usage.read import Declared, UsageInput, join_usage, read_inputs


def read_usage(
    inputs: Sequence[UsageInput],
    profiles: Sequence[Profile],
    *,
    declared: Declared = Declared(),
    baselines: Sequence[Baseline] = (),
) -> Usage:
    """What the user runs, from files and declarations."""
    reading = read_inputs(inputs, profiles)
    return join_usage(reading, profiles, declared=declared, baselines=baselines)
