"""The features of a ranked candidate -> evidence in sentences that a person can check.

Pure. Weights add up to the candidate's total; what is smaller than a twentieth of a logit is told
as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from watcher.facts.item import Evidence, EvidenceKind
from watcher.facts.kind import Kind
from watcher.matching.features import TOTAL, Candidate, Measures, Prepared
from watcher.matching.query import SYNONYMS

_SMALL: Final = 0.05
_MAX_WORDS: Final = 6
_KIND_NAMES: Final = {
    Kind.FIX: "is a fix",
    Kind.FEATURE: "is a feature, not a fix",
    Kind.DOCS: "changes documentation, not code",
    Kind.CI: "is about continuous integration",
    Kind.TEST: "is about tests",
    Kind.CHORE: "is upkeep, not a fix",
    Kind.REFACTOR: "is a refactoring, not a fix",
    Kind.PERF: "makes something faster, is no fix",
    Kind.REVERT: "takes an earlier change back",
}
_TEXT_PARTS: Final = {
    "text": "your words",
    "errors": "the error",
    "code": "the code of your traceback",
    "config": "your settings",
    "lines": "your log",
    SYNONYMS: "other words for yours",
}


def explain(
    candidate: Candidate,
    measures: Measures,
    shares: Mapping[str, float],
    prepared: Prepared,
) -> tuple[Evidence, ...]:
    """One piece of evidence for each share, heaviest first; small ones together as the last."""
    told = [name for name, share in shares.items() if abs(share) >= _SMALL]
    evidence = [
        Evidence(
            kind=_evidence_kind(name),
            weight=shares[name],
            detail=_sentence(name, candidate, measures, prepared),
        )
        for name in told
    ]
    rest = sum(share for name, share in shares.items() if name not in told)
    if rest:
        evidence.append(Evidence(kind=EvidenceKind.TEXT, weight=rest, detail="smaller traces"))
    return tuple(sorted(evidence, key=lambda one: -abs(one.weight)))


def _evidence_kind(name: str) -> EvidenceKind:
    if name.startswith("frame_dir"):
        return EvidenceKind.PATH
    if name.startswith("frame_"):
        return EvidenceKind.FRAME
    return {
        "function_name": EvidenceKind.SYMBOL,
        "facets": EvidenceKind.FACET,
        "config": EvidenceKind.CONFIG,
        "breadth": EvidenceKind.SCOPE,
        "no_code": EvidenceKind.SCOPE,
        "kind": EvidenceKind.SCOPE,
        "absent": EvidenceKind.SCOPE,
        "closes": EvidenceKind.ISSUE,
        "mentions": EvidenceKind.ISSUE,
    }.get(name, EvidenceKind.TEXT)


def _sentence(name: str, candidate: Candidate, measures: Measures, prepared: Prepared) -> str:
    if name in _TEXT_PARTS:
        return f"shares words with {_TEXT_PARTS[name]}: {_words(name, measures, prepared)}"
    if name.startswith("frame_") or name == "function_name":
        return _frame_sentence(name, measures, prepared)
    count = len(candidate.files)
    return {
        "match": f"matches in {_words(TOTAL, measures, prepared)}",
        "title": "its title says what you say",
        "facets": f"is about {', '.join(measures.facets)}, as your symptom is",
        "breadth": f"touches {count} file{'' if count == 1 else 's'}",
        "no_code": "touches no code or configuration that is shipped",
        "closes": f"closes a reported bug ({_issues(candidate.closes)})",
        "mentions": "refers to another change or issue",
        "absent": _presence_sentence(candidate),
        "kind": _KIND_NAMES.get(candidate.kind, f"is of kind {candidate.kind}"),
    }[name]


def _presence_sentence(candidate: Candidate) -> str:
    return candidate.verdict.detail if candidate.verdict else "not judged against your pin"


def _issues(numbers: Sequence[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers[:3])


def _frame_sentence(name: str, measures: Measures, prepared: Prepared) -> str:
    numbers = prepared.frames.numbers
    if name == "frame_function" and measures.functions:
        changed = ", ".join(f"`{one}`" for one in measures.functions[:3])
        place = min((numbers[path] for path in measures.files), default=0)
        return f"changes {changed}, frame {place} of your traceback from the inside"
    if name in {"frame_file", "frame_focus"} and measures.files:
        return f"touches {measures.files[0]}, which your traceback goes through"
    if name == "frame_directory":
        return f"touches {', '.join(sorted(prepared.frames.directories))}, beside your traceback"
    return "changes a function named as in your traceback"


def _words(part: str, measures: Measures, prepared: Prepared) -> str:
    """The matching words that weigh most, as they were written."""
    spelling = prepared.query.spelling
    best = (term for term in prepared.heaviest[part] if term in measures.terms)
    words: dict[str, None] = {}
    for term in best:
        words[spelling.get(term, term)] = None
        if len(words) == _MAX_WORDS:
            break
    return ", ".join(words)
