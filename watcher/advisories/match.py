"""Which advisories apply: to a symptom, or to versions and settings alone. Pure.

Outside its version range an advisory never shows; a setting that contradicts it silences it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import semver
from msgspec import Struct
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from watcher.advisories.conditions import SettingsView, describe, holds, version_map
from watcher.advisories.record import Advisory, AdvisoryMatch, Pattern, Words
from watcher.facts.symptom import Symptom
from watcher.facts.usage import Usage

LINE_LIMIT: Final = 1_000
_CLAUSE: Final = re.compile(r"(<=|>=|==|!=|<|>)\s{0,4}(\d[\w.+-]{0,60})")
_SENTENCES: Final = 200
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？；;\n]")
_ERROR_SHARE: Final = 1.0
_LINE_SHARE: Final = 0.8
_TEXT_SHARE: Final = 0.7
"""A pattern in an error line says more than in another line, and more than in the user's words."""


class Lines(Struct, frozen=True):
    """The symptom's lines, folded for matching, each with what a hit on it counts."""

    lines: tuple[tuple[str, str, float], ...]
    """(as written, folded, share)."""
    sentences: tuple[tuple[str, str], ...]
    """(as written, folded) of the user's own words."""
    folded: str
    """All lines in one text: most patterns are ruled out by one look at it."""

    @classmethod
    def of(cls, symptom: Symptom) -> Lines:
        """Every line of a symptom that a pattern may be found in."""
        shares: list[tuple[Iterable[str], float]] = [
            (symptom.errors, _ERROR_SHARE),
            (symptom.followers, _LINE_SHARE),
            (symptom.lines, _LINE_SHARE),
            (symptom.code, _LINE_SHARE),
            (_frame_lines(symptom), _LINE_SHARE),
            (symptom.text.splitlines(), _TEXT_SHARE),
        ]
        rows = [(line, fold(line), share) for lines, share in shares for line in lines]
        sentences = _SENTENCE_END.split(symptom.text)[:_SENTENCES]
        return cls(
            lines=tuple(rows),
            sentences=tuple((one, fold(one)) for one in sentences),
            folded="\n".join(folded for _, folded, _ in rows),
        )

    def best(self, patterns: Sequence[Pattern]) -> tuple[float, str]:
        """(strength, line) of the best hit; (0, "") when none."""
        possible = [one for one in patterns if all(part in self.folded for part in one.pieces)]
        best = (0.0, "")
        if not possible:
            return best
        for raw, folded, share in self.lines:
            for pattern in possible:
                strength = pattern.weight * share
                if strength > best[0] and pattern.is_in(folded):
                    best = (strength, raw)
        return best

    def best_words(self, patterns: Sequence[Words]) -> tuple[float, str]:
        """(strength, sentence) of the best words; (0, "") when none."""
        hits = (
            (words.weight_in(folded) * _TEXT_SHARE, raw)
            for raw, folded in self.sentences
            for words in patterns
        )
        return max(hits, default=(0.0, ""), key=lambda hit: hit[0])


def _frame_lines(symptom: Symptom) -> list[str]:
    """The frames as text, the innermost once more under that name."""
    paths = list(dict.fromkeys(frame.path for frame in symptom.frames))
    inner = [f"innermost frame: {frame.path}" for frame in symptom.frames[-1:]]
    return [*(f'file "{path}"' for path in paths), *inner]


def fold(line: str) -> str:
    """A line as patterns are looked for in it: any case, single blanks, bounded."""
    return " ".join(line[:LINE_LIMIT].casefold().split())


def for_symptom(
    catalogue: Iterable[Advisory],
    symptom: Symptom,
    usage: Usage,
    packages: Sequence[tuple[str, str]],
) -> list[AdvisoryMatch]:
    """Advisories that recognise the symptom and that nothing known contradicts, strongest first."""
    lines = Lines.of(symptom)
    settings = SettingsView(usage.settings)
    versions = version_map((*packages, *symptom.versions))
    matches = []
    for advisory in catalogue:
        match = _recognise(advisory, lines, settings, versions)
        if match is not None:
            matches.append(match)
    return sorted(
        matches, key=lambda match: (match.advisory.is_last, -match.strength, match.advisory.slug)
    )


def hazards(
    catalogue: Iterable[Advisory], usage: Usage, packages: Sequence[tuple[str, str]]
) -> list[AdvisoryMatch]:
    """Advisories that the present versions and settings are known to meet, in catalogue order."""
    settings = SettingsView(usage.settings)
    versions = version_map(tuple(packages))
    matches = []
    for advisory in catalogue:
        if not advisory.is_hazard:
            continue
        in_range = all(_is_in_range(versions, *package) is True for package in advisory.packages)
        if in_range and all(holds(condition, settings) is True for condition in advisory.when):
            reasons = _reasons(advisory, settings, versions)
            matches.append(AdvisoryMatch(advisory=advisory, strength=0.0, reasons=reasons))
    return matches


def _recognise(
    advisory: Advisory, lines: Lines, settings: SettingsView, versions: Mapping[str, str]
) -> AdvisoryMatch | None:
    strength, quote = max(lines.best(advisory.patterns), lines.best_words(advisory.words))
    if not strength:
        return None
    if advisory.also and not lines.best(advisory.also)[0]:
        return None
    if advisory.unless and lines.best(advisory.unless)[0]:
        return None
    if any(_is_in_range(versions, *package) is False for package in advisory.packages):
        return None
    if any(holds(condition, settings) is False for condition in advisory.when):
        return None
    if advisory.also:
        strength += lines.best(advisory.also)[0] / 2
    reasons = _reasons(advisory, settings, versions)
    return AdvisoryMatch(advisory=advisory, strength=strength, quote=quote, reasons=reasons)


def _reasons(
    advisory: Advisory, settings: SettingsView, versions: Mapping[str, str]
) -> tuple[str, ...]:
    known = [
        f"{name} {versions[name.casefold()]} is in its range {specifier}"
        for name, specifier in advisory.packages
        if name.casefold() in versions
    ]
    read = [
        describe(condition, settings) for condition in advisory.when if holds(condition, settings)
    ]
    return (*known, *read)


def _is_in_range(versions: Mapping[str, str], name: str, specifier: str) -> bool | None:
    version = versions.get(name.replace("_", "-").casefold())
    if version is None:
        return None
    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return _is_in_semantic_range(version, specifier)


def _is_in_semantic_range(version: str, specifier: str) -> bool | None:
    """For versions that only Semantic Versioning knows (``1.2.0-alpha.beta``)."""
    try:
        parsed = semver.Version.parse(version.removeprefix("v"))
        clauses = [_CLAUSE.fullmatch(clause.strip()) for clause in specifier.split(",")]
        return all(
            parsed.match(clause[1] + ".".join([*clause[2].split("."), "0", "0"][:3]))
            for clause in clauses
            if clause is not None
        )
    except ValueError:
        return None
