"""A candidate against a query -> named numbers, each a reason that can be said.

Pure. What is the same for all candidates of a query is prepared once.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from watcher.facts.change import Change
from watcher.facts.diff import TouchedFile
from watcher.facts.document import Document
from watcher.facts.issue import Issue
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence, Verdict
from watcher.facts.symptom import Frame
from watcher.matching.bm25 import Corpus, score, term_weights
from watcher.matching.document import code_files, has_code
from watcher.matching.query import SYNONYMS, Query
from watcher.matching.weights import RankWeights

_GENERIC = re.compile(
    r"(?:wrapper|inner|main|run|<module>|<lambda>|_run_code|__call__|forward|__init__|func|fit"
    r"|_wrapped_call_impl|_call_impl)$"
)
_ASIDE = re.compile(r"(?:^|/)(?:tests?|docs?)/")
TOTAL: Final = "total"
_STRONG: Final = 0.15
"""Query weight above which a token counts for the coverage of a title."""
_USUAL_CLOSING: Final = 0.05
"""Share of changes that name the issue they close where people have the habit."""
_DOUBT: Final = {Presence.ABSENT: 0.95, Presence.PARTLY: 0.4, Presence.UNKNOWN: 0.3}
_DEEP: Final = 0.8
"""Each frame further out counts this much of the one inside it."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A change or an issue that may be ranked."""

    key: str
    document: Document
    kind: Kind
    files: tuple[TouchedFile, ...] = ()
    facets: frozenset[str] = frozenset()
    closes: tuple[int, ...] = ()
    """Issues that the change says it closes."""
    has_mentions: bool = False
    """True when its message speaks of another change or issue."""
    verdict: Verdict | None = None
    """Presence at the pin of what the change repairs; None when it was not judged."""


def change_candidate(
    change: Change, document: Document, verdict: Verdict | None = None
) -> Candidate:
    """A change with its document and, where known, the presence of what it repairs at the pin."""
    return Candidate(
        key=change.sha,
        document=document,
        kind=change.message.kind,
        files=change.diff.files,
        facets=frozenset(change.facets),
        closes=change.message.closes,
        has_mentions=bool(change.message.mentions),
        verdict=verdict,
    )


def issue_candidate(issue: Issue, document: Document) -> Candidate:
    """An issue with its document."""
    return Candidate(
        key=document.key, document=document, kind=Kind.ISSUE, facets=frozenset(issue.facets)
    )


class FrameMap(Struct, frozen=True, kw_only=True):
    """The traceback by file and function, each with its weight (innermost 1) and frame number."""

    files: dict[str, float] = field(default_factory=dict)
    functions: dict[tuple[str, str], float] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    """Telling function names of the inner frames."""
    directories: frozenset[str] = frozenset()
    numbers: dict[str, int] = field(default_factory=dict)
    """Path -> number of its innermost frame, counted from the inside."""


class Prepared(Struct, frozen=True, kw_only=True):
    """A query with what the corpus says about it."""

    query: Query
    corpus: Corpus
    weights: RankWeights
    terms: frozenset[str]
    strong: frozenset[str]
    best: float
    """Score of a document that held every term of the query."""
    frames: FrameMap
    heaviest: dict[str, list[str]]
    """Part of the query -> its terms, heaviest first; ``TOTAL`` for all parts together."""
    facet_rarity: dict[str, float]
    reference_trust: float
    """What a reference to an issue counts, 0..1: where hardly any change has one it says little."""


class Measures(Struct, frozen=True, kw_only=True):
    """The features of one candidate that are not zero, and what they rest on."""

    values: dict[str, float]
    terms: dict[str, float]
    """Query tokens that the document holds -> strength in the document."""
    files: tuple[str, ...] = ()
    """Touched files that the traceback names."""
    functions: tuple[str, ...] = ()
    """Changed functions that the traceback names."""
    facets: tuple[str, ...] = ()


def prepare(
    query: Query, corpus: Corpus, weights: RankWeights, candidates: Sequence[Candidate]
) -> Prepared:
    """What is the same for all candidates of a query."""
    synonyms = query.parts.get(SYNONYMS, {})
    known = {term for term in query.total if corpus.frequencies.get(term)}
    counts = Counter(facet for one in candidates for facet in one.facets)
    return Prepared(
        query=query,
        corpus=corpus,
        weights=weights,
        terms=frozenset(query.total) | frozenset(synonyms),
        strong=frozenset(term for term, weight in query.total.items() if weight > _STRONG),
        best=sum(query.total[term] * corpus.rarity(term) for term in known),
        heaviest={
            part: sorted(bag, key=lambda term: (-bag[term] * corpus.rarity(term), term))
            for part, bag in ((*query.parts.items(), (TOTAL, query.total)))
        },
        frames=map_traceback(query.frames),
        facet_rarity={
            facet: math.log(len(candidates) / counts[facet])
            for facet in query.facets
            if counts[facet]
        },
        reference_trust=_reference_trust(candidates),
    )


def measure(candidate: Candidate, prepared: Prepared) -> Measures:
    """The features of a candidate."""
    terms = term_weights(
        candidate.document, prepared.terms, prepared.weights.fields, prepared.corpus
    )
    values = _text_values(candidate, terms, prepared)
    files, functions = _named_by_traceback(candidate.files, prepared.frames)
    values.update(_frame_values(candidate.files, prepared.frames))
    facets = tuple(sorted(candidate.facets & prepared.facet_rarity.keys()))
    rarity = sum(prepared.facet_rarity[facet] for facet in facets)
    values["facets"] = rarity / (1 + 0.3 * len(candidate.facets))
    if candidate.kind is not Kind.ISSUE:
        values["no_code"] = 0.0 if has_code(candidate.files) else 1.0
        values["breadth"] = math.log(1 + len(_code(candidate.files)))
        values["absent"] = doubt(candidate.verdict)
        name = "closes" if candidate.closes else "mentions"
        has_reference = candidate.closes or candidate.has_mentions
        values[name] = prepared.reference_trust if has_reference else 0.0
    return Measures(
        values={name: value for name, value in values.items() if value},
        terms=terms,
        files=files,
        functions=functions,
        facets=facets,
    )


def _reference_trust(candidates: Sequence[Candidate]) -> float:
    closing = sum(1 for one in candidates if one.closes)
    return min(1.0, closing / (_USUAL_CLOSING * max(1, len(candidates))))


def doubt(verdict: Verdict | None) -> float:
    """How doubtful it is that the pin has what a change repairs: 0 surely there, 1 surely not."""
    if verdict is None:
        return 0.0
    if verdict.probability is not None:
        return 1.0 - verdict.probability
    return _DOUBT.get(verdict.presence, 0.0)


def map_traceback(frames: Sequence[Frame]) -> FrameMap:
    """Files and functions of a traceback, the innermost strongest; tests and docs left out."""
    files: dict[str, float] = {}
    functions: dict[tuple[str, str], float] = {}
    numbers: dict[str, int] = {}
    inner_first = [frame for frame in reversed(frames) if not _ASIDE.search(frame.path)]
    for number, frame in enumerate(inner_first, start=1):
        if frame.path not in files:
            files[frame.path] = max(0.25, _DEEP ** len(files))
            numbers[frame.path] = number
        name = frame.function.rsplit(".", 1)[-1]
        if name and (frame.path, name) not in functions:
            share = 0.6 if _GENERIC.match(name) else 1.0
            functions[frame.path, name] = max(0.2, _DEEP ** len(functions)) * share
    telling = [name for _, name in list(functions)[:6] if not _GENERIC.match(name)]
    return FrameMap(
        files=files,
        functions=functions,
        names=frozenset(telling),
        directories=frozenset(path.rsplit("/", 1)[0] for path in list(files)[:2]),
        numbers=numbers,
    )


def _text_values(
    candidate: Candidate, terms: Mapping[str, float], prepared: Prepared
) -> dict[str, float]:
    query, corpus, k1 = prepared.query, prepared.corpus, prepared.weights.saturation
    values = {
        part: score(query.parts[part], terms, corpus, k1)
        for part in ("text", "errors", "code", "config", "lines", SYNONYMS)
    }
    whole = score(query.total, terms, corpus, k1)
    values["match"] = whole / math.sqrt(prepared.best + 1e-6)
    title = candidate.document.fields.get("title", {})
    mass = sum(corpus.rarity(token) for token in title)
    said = sum(corpus.rarity(token) for token in title.keys() & prepared.strong)
    values["title"] = said / (mass + 3.0)
    return values


def _frame_values(files: Iterable[TouchedFile], frames: FrameMap) -> dict[str, float]:
    if not frames.files:
        return {}
    code = _code(files)
    file_weight = max((frames.files.get(file.path, 0.0) for file in code), default=0.0)
    pairs = ((file.path, _last(name)) for file in code for name in file.functions)
    function_weight = max((frames.functions.get(pair, 0.0) for pair in pairs), default=0.0)
    names = {_last(name) for file in code for name in file.functions}
    near = any(file.path.rsplit("/", 1)[0] in frames.directories for file in code)
    return {
        "frame_file": file_weight,
        "frame_function": function_weight,
        "frame_focus": file_weight / math.sqrt(max(1, len(code))),
        "frame_directory": 1.0 if near and not file_weight else 0.0,
        "function_name": 1.0 if names & frames.names else 0.0,
    }


def _named_by_traceback(
    files: Iterable[TouchedFile], frames: FrameMap
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    code = _code(files) if frames.files else []
    touched = sorted(
        (file.path for file in code if file.path in frames.files),
        key=lambda path: frames.numbers[path],
    )
    functions = [
        name
        for file in code
        for name in file.functions
        if (file.path, _last(name)) in frames.functions
    ]
    return tuple(touched), tuple(dict.fromkeys(functions))


def _code(files: Iterable[TouchedFile]) -> list[TouchedFile]:
    """Code files only; none when a change touches none."""
    every = list(files)
    return code_files(every) if has_code(every) else []


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]
