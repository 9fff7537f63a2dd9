"""A usage as a structure for showing: what was understood, where it stands, and what was not.

Pure. The faces turn it into text or JSON; keys are only ever added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from watcher.facts.usage import FacetUse, Setting, Usage

Description: TypeAlias = (
    "Mapping[str, Description] | Sequence[Description] | str | int | float | bool | None"
)
"""What a JSON value may hold."""


def describe(usage: Usage) -> dict[str, Description]:
    """Everything understood and not. Settings that say most come first; defaults are counted."""
    own = [item for item in usage.settings if not item.is_default]
    return {
        "settings": [_setting(item) for item in sorted(own, key=_telling)],
        "defaults": len(usage.settings) - len(own),
        "facets_on": [_facet(item) for item in usage.facets if item.is_on],
        "facets_off": [_facet(item) for item in usage.facets if not item.is_on],
        "code": [
            {
                "module": item.upstream_module,
                "symbol": item.symbol or None,
                "kind": item.kind,
                "where": str(item.source),
            }
            for item in usage.code
        ],
        "entry_points": list(usage.entry_points),
        "environment": [{"name": name, "value": value} for name, value in usage.environment],
        "packages": [{"name": name, "version": version} for name, version in usage.packages],
        "keywords": list(usage.keywords),
        "paths": list(usage.paths),
        "gpus": usage.gpus,
        "nodes": usage.nodes,
        "hardware": usage.hardware,
        "not_understood": [
            {"where": str(source), "reason": reason} for source, reason in usage.not_understood
        ],
    }


def _telling(setting: Setting) -> tuple[bool, float, str]:
    """Departures before what equals the default, rare before common."""
    rarity = 1.0 if setting.rarity is None else setting.rarity
    return (not setting.departs, -rarity, setting.key)


def _setting(setting: Setting) -> dict[str, Description]:
    return {
        "key": setting.key,
        "value": setting.value,
        "where": str(setting.source),
        "departs": setting.departs,
        "rarity": setting.rarity,
    }


def _facet(facet: FacetUse) -> dict[str, Description]:
    return {"name": facet.name, "detail": facet.detail, "where": str(facet.source)}
