"""The table ``[usage]`` of ``weights.toml`` -> the numbers of the matching rules.

Pure. Fitted on recorded cases with cross-validation by case (``tests/tuning/fit_usage.py``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from msgspec import Struct

from watcher.errors import ConfigError


class UsageWeights(Struct, frozen=True, kw_only=True):
    """Numbers by which signals become a score and a tier."""

    constant: float
    """Added before the logistic; shown with the score."""
    signals: Mapping[str, float]
    """Name of a signal -> its weight per unit, in logits."""
    likely: float
    """Least score of the tier likely."""
    possible: float
    """Least score of the tier possible."""


def parse_usage_weights(text: str) -> UsageWeights:
    """The numbers of the matching rules. Raises ConfigError naming the key."""
    try:
        table = tomllib.loads(text)["usage"]
        return UsageWeights(
            constant=float(table["constant"]),
            signals={str(name): float(value) for name, value in table["signals"].items()},
            likely=float(table["tiers"]["likely"]),
            possible=float(table["tiers"]["possible"]),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"the weights of the matching rules are not usable: {error}", where="weights.toml"
        ) from error
