"""Version conditions of a title against the package versions that the user has.

Pure. "for vLLM >= 0.13.0" meets the user of 0.14 and not the user of 0.11. A title that asks for a
version ("require vLLM >= 0.22") is about those who lack it and says nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.matching.rules.signal import Signal

_STATED: Final = re.compile(
    r"\b(?:for|on|with|in|under|since|when|using)\s{1,3}([A-Za-z][\w-]{1,40})\s{0,3}"
    r"(>=|<=|==|<|>)\s{0,3}v?(\d{1,4}(?:\.\d{1,5}){0,3})",
    re.IGNORECASE,
)


def version_signals(change: Change, packages: Mapping[str, str]) -> Iterator[Signal]:
    """The first stated condition on a package whose version is known.

    ``packages``: name, lower case with dashes -> version.
    """
    for found in _STATED.finditer(change.message.title):
        name, operator, wanted = found.groups()
        known = packages.get(name.lower().replace("_", "-"))
        met = _meets(known, operator + wanted) if known else None
        if met is None:
            continue
        condition = f"{name} {operator} {wanted}"
        if met:
            detail = f"is about {condition}; you have {known}"
            yield Signal("version_met", 1.0, EvidenceKind.SCOPE, detail)
        else:
            detail = f"is about {condition} only; you have {known}"
            yield Signal("version_failed", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.POSSIBLE)
        return


def known_packages(packages: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Versions by normalised name; a later one replaces an earlier one."""
    return {name.lower().replace("_", "-"): version for name, version in packages}


def _meets(version: str, specifier: str) -> bool | None:
    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return None
