"""The text of ``weights.toml`` -> the numbers of the ranker.

Pure. Each number was fitted or set on recorded incidents (``tests/tuning/fit_rank.py``).
"""

from __future__ import annotations

import tomllib

from msgspec import Struct

from watcher.errors import ConfigError
from watcher.facts.kind import Kind


class FieldWeight(Struct, frozen=True):
    """What one field of a document counts."""

    weight: float
    normalisation: float
    """BM25's b: 0 ignores the length of the field, 1 divides by it."""


class RankWeights(Struct, frozen=True, kw_only=True):
    """The table ``[rank]``."""

    constant: float
    """Added before the logistic; shown with the score."""
    saturation: float
    """BM25's k1."""
    compound_part: float
    """A part of a compound identifier in the query, against a whole word."""
    fields: dict[str, FieldWeight]
    parts: dict[str, float]
    """Part of the symptom -> weight of its words."""
    features: dict[str, float]
    kinds: dict[Kind, float]
    certain: dict[str, float]
    """Least confidence that an answer is likely, by what the symptom holds: ``text``, ``log``,
    ``both``.
    """


def parse_rank_weights(text: str) -> RankWeights:
    """The ranker's numbers. Raises ConfigError naming the key."""
    try:
        table = tomllib.loads(text)["rank"]
        return RankWeights(
            constant=float(table["constant"]),
            saturation=float(table["saturation"]),
            compound_part=float(table["compound_part"]),
            fields={
                name: FieldWeight(float(weight), float(normalisation))
                for name, (weight, normalisation) in table["fields"].items()
            },
            parts=_numbers(table["parts"]),
            features=_numbers(table["features"]),
            kinds={Kind(name): value for name, value in _numbers(table["kinds"]).items()},
            certain=_numbers(table["certain"]),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(
            f"the ranker's weights are not usable: {error}", where="weights.toml"
        ) from error


def _numbers(table: dict[str, object]) -> dict[str, float]:
    return {name: float(str(value)) for name, value in table.items()}
