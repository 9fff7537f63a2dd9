"""Versions outside the range that an upstream itself asks for -> advisories. Pure.

The upstream's own requirement line is the best source there is; its author's comment comes along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from watcher.advisories.record import Advisory, AdvisoryMatch, Confidence, Severity
from watcher.facts.symptom import Symptom
from watcher.pins.upstream_requirements import UpstreamRequirement

_LISTED: Final = re.compile(r"\s{0,8}([A-Za-z][\w.-]{1,60})(?:==| {1,40}|\t)v?(\d[\w.+!-]{0,40})\s")
_SAID: Final = re.compile(
    r"(?<![\w./-])([A-Za-z][\w-]{1,60})(?:==| ?(?:is|version|at|是|版本|用的是)? ?)"
    r"v?(\d+\.\d[\w.+]{0,40})"
)
_LATER: Final = (
    "The range is the cure; versions after {owner} may ask for another one, or soften what happens"
    " outside it: see the items below."
)
_NAMED_IN_ERROR: Final = 100.0
_NAMED: Final = 50.0
"""Strength of a version that is provably wrong, by where the symptom names the package."""


def range_advisory(
    requirement: UpstreamRequirement, version: str, owner: str, url: str | None
) -> Advisory:
    """The advisory for one version that leaves an upstream's range.

    Args:
        requirement: What the upstream asks for.
        version: What is there.
        owner: The upstream at the pin, ``verl v0.8.0``.
        url: Where the requirement can be read.
    """
    package, asked = requirement.package, requirement.specifier
    line = f":{requirement.line}" if requirement.line else ""
    for_extra = f" for {requirement.extra}" if requirement.extra else ""
    return Advisory(
        slug=f"{owner.split(maxsplit=1)[0].lower()}-needs-{package}",
        title=f"{package} {version} is outside the range that {owner} asks for: {asked}",
        remedy=f"`pip install '{package}{asked}'` in every node's environment.",
        source=f"{owner}'s {requirement.path}{line}{for_extra}",
        confidence=Confidence.CERTAIN if requirement.extra is None else Confidence.USUAL,
        severity=Severity.CRASH,
        is_hazard=True,
        true_for=owner,
        note=requirement.comment or _LATER.format(owner=owner),
        url=url,
    )


def range_match(
    advisory: Advisory, requirement: UpstreamRequirement, version: str, symptom: Symptom | None
) -> AdvisoryMatch | None:
    """The match of a range advisory; with a symptom only when that names the package."""
    package = requirement.package
    reasons: tuple[str, ...] = (f"you have {package} {version}",)
    if requirement.comment:
        reasons += (f"the author's comment: {requirement.comment}",)
    if symptom is None:
        return AdvisoryMatch(advisory=advisory, strength=0.0, reasons=reasons)
    quote = _line_that_names(package, (*symptom.errors, *symptom.followers))
    strength = _NAMED_IN_ERROR
    if quote is None:
        paths = [frame.path for frame in symptom.frames[-1:]]
        quote = _line_that_names(package, (*symptom.text.splitlines(), *paths))
        strength = _NAMED
    if quote is None:
        return None
    return AdvisoryMatch(advisory=advisory, strength=strength, quote=quote, reasons=reasons)


def listed_versions(symptom: Symptom, names: Iterable[str]) -> dict[str, str]:
    """Versions of some distributions that the log lists in rows of their own (``pip list``), or
    that the user's words state.
    """
    rows = [match.groups() for line in symptom.lines if (match := _LISTED.match(line + " "))]
    said = _SAID.findall(symptom.text)
    wanted = {normalised(name) for name in names}
    return {
        normalised(name): version.rstrip(".")
        for name, version in (*rows, *said)
        if normalised(name) in wanted
    }


def joined_versions(*groups: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Versions by normalised name; a later group counts over an earlier one."""
    return {normalised(name): version for group in groups for name, version in group}


def normalised(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _line_that_names(package: str, lines: Iterable[str]) -> str | None:
    spellings = {package, package.replace("-", "_")}
    for line in lines:
        folded = line.casefold()
        if any(name in folded for name in spellings):
            return line
    return None
