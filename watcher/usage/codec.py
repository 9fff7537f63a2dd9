"""``Usage`` and ``Baseline`` to JSON and back, so that files are parsed once and composed once.

Pure. What was written by another version or damaged reads as None: it is made again.
"""

from __future__ import annotations

import json

import msgspec

from watcher.facts.usage import CodeUse, FacetUse, Setting, Source, Usage
from watcher.usage.baseline import Baseline
from watcher.usage.examples import Examples
from watcher.usage.glosses import Gloss

USAGE_FORMAT = "usage/1"
BASELINE_FORMAT = "baseline/1"


def usage_to_json(usage: Usage) -> str:
    """Compact JSON of a usage."""
    return json.dumps({"format": USAGE_FORMAT, **msgspec.to_builtins(usage)}, separators=(",", ":"))


def usage_from_json(text: str) -> Usage | None:
    """The usage, or None when the text is not what ``usage_to_json`` writes today."""
    try:
        data = json.loads(text)
        if data.pop("format") != USAGE_FORMAT:
            return None
        data["settings"] = tuple(
            Setting(**{**item, "source": Source(**item["source"])}) for item in data["settings"]
        )
        data["code"] = tuple(
            CodeUse(**{**item, "source": Source(**item["source"])}) for item in data["code"]
        )
        data["facets"] = tuple(
            FacetUse(**{**item, "source": Source(**item["source"])}) for item in data["facets"]
        )
        data["not_understood"] = tuple(
            (Source(**source), str(reason)) for source, reason in data["not_understood"]
        )
        for name in ("environment", "packages"):
            data[name] = tuple((str(key), str(value)) for key, value in data[name])
        for name in ("keywords", "paths", "entry_points"):
            data[name] = tuple(str(item) for item in data[name])
        return Usage(**data)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def baseline_to_json(baseline: Baseline) -> str:
    """Compact JSON of a baseline."""
    data = {
        "format": BASELINE_FORMAT,
        "upstream": baseline.upstream,
        "defaults": dict(baseline.defaults),
        "source": baseline.source,
        "reason": baseline.reason,
        "glosses": [[gloss.word, gloss.leaf, gloss.value] for gloss in baseline.glosses],
        "total": baseline.examples.total,
        "values": {key: dict(values) for key, values in baseline.examples.values.items()},
    }
    return json.dumps(data, separators=(",", ":"))


def baseline_from_json(text: str) -> Baseline | None:
    """The baseline, or None when the text is not what ``baseline_to_json`` writes today."""
    try:
        data = json.loads(text)
        if data["format"] != BASELINE_FORMAT:
            return None
        return Baseline(
            upstream=str(data["upstream"]),
            defaults={str(key): str(value) for key, value in data["defaults"].items()},
            source=str(data["source"]),
            reason=data["reason"],
            glosses=tuple(Gloss(*map(str, row)) for row in data["glosses"]),
            examples=Examples(
                int(data["total"]),
                {
                    str(key): {str(value): int(count) for value, count in values.items()}
                    for key, values in data["values"].items()
                },
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
