"""Ranks the changes of one upstream against a symptom: candidates by words and files first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.change import BEFORE_RANGE, Change
from watcher.facts.issue import Issue
from watcher.facts.presence import Verdict
from watcher.facts.symptom import Symptom
from watcher.matching.bm25 import Corpus
from watcher.matching.document import document, issue_document
from watcher.matching.features import change_candidate, issue_candidate
from watcher.matching.query import Query, compose_query, search_terms, symptom_facets
from watcher.matching.rank import Ranked, rank
from watcher.matching.weights import RankWeights
from watcher.pipeline.followed import FollowedUpstream
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.store import Store
from watcher.symptom.frames import PathIndex, map_frames
from watcher.symptom.lexicon import Lexicon

CANDIDATES: Final = 300
_BY_FILE: Final = 400
_LIGHT: Final = frozenset({Part.FILES, Part.ORIGINS})
_LAST_POSITION: Final = 2**31


class SearchTools(Struct, frozen=True, kw_only=True):
    """What every search needs."""

    store: Store
    lexicon: Lexicon
    weights: RankWeights


class Window(Struct, frozen=True, kw_only=True):
    """The positions that are searched, ``after < position <= until``, and the tree of the pin."""

    after: int
    until: int
    tree: PathIndex


class Searched(Struct, frozen=True, kw_only=True):
    """Ranked changes and issues of one upstream."""

    query: Query
    ranked: tuple[Ranked, ...]
    changes: dict[str, Change]
    issues: dict[str, Issue]


Judge = Callable[[Sequence[Change]], Mapping[str, Verdict]]
"""Presence of changes at the pin, by sha."""


def _unjudged(_changes: Sequence[Change]) -> Mapping[str, Verdict]:
    return {}


def search(
    followed: FollowedUpstream,
    symptom: Symptom,
    window: Window,
    tools: SearchTools,
    *,
    judge: Judge = _unjudged,
    with_issues: bool = False,
) -> Searched:
    """The best changes (and bug reports) for a symptom, best first."""
    query = _query(followed, symptom, window, tools)
    corpus = _corpus(followed, query)
    found = search_terms(query, corpus, tools.weights)
    keys = [
        key
        for key, _ in followed.index.search(
            found, after=window.after, until=window.until, limit=CANDIDATES
        )
    ]
    changes = _changes(followed, window, query, keys, tools.store)
    documents = followed.index.documents(list(changes))
    verdicts = judge(list(changes.values()))
    candidates = [
        change_candidate(change, documents.get(sha) or document(change), verdicts.get(sha))
        for sha, change in changes.items()
    ]
    issues: dict[str, Issue] = {}
    if with_issues:
        issues = _issues(followed, found, tools.store)
        candidates += [issue_candidate(issue, issue_document(issue)) for issue in issues.values()]
    ranked = rank(query, candidates, corpus, tools.weights)
    return Searched(query=query, ranked=tuple(ranked), changes=changes, issues=issues)


def _query(
    followed: FollowedUpstream, symptom: Symptom, window: Window, tools: SearchTools
) -> Query:
    frames = map_frames(symptom.frames, window.tree)
    facets = symptom_facets(symptom, tools.lexicon, followed.profile.facets, frames)
    return compose_query(symptom, tools.lexicon, tools.weights, frames=frames, facets=facets)


def _corpus(followed: FollowedUpstream, query: Query) -> Corpus:
    statistics = followed.index.statistics()
    terms = {term for bag in (query.total, *query.parts.values()) for term in bag}
    return Corpus(
        count=statistics.count,
        frequencies=followed.index.frequencies(terms),
        average_lengths=statistics.average_lengths,
    )


def _changes(
    followed: FollowedUpstream,
    window: Window,
    query: Query,
    keys: Sequence[str],
    store: Store,
) -> dict[str, Change]:
    found = store.changes(followed.upstream, ChangeFilter(shas=tuple(keys), parts=_LIGHT))
    paths = tuple(dict.fromkeys(frame.path for frame in query.frames))
    if paths:
        by_file = ChangeFilter(after=window.after, until=window.until, paths=paths, parts=_LIGHT)
        found += store.changes(followed.upstream, by_file)[-_BY_FILE:]
    return {change.sha: change for change in found if change.position is not None}


def _issues(followed: FollowedUpstream, terms: dict[str, float], store: Store) -> dict[str, Issue]:
    keys = followed.index.search(
        terms, after=BEFORE_RANGE - 1, until=_LAST_POSITION, limit=CANDIDATES // 4, issues=True
    )
    numbers = [int(key.removeprefix("#")) for key, _ in keys]
    found = store.issues(followed.upstream, numbers) if numbers else []
    return {f"#{issue.number}": issue for issue in found}
