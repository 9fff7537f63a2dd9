"""Use case: after git's facts, GitHub's words, and what they change of the facts.

Descriptions and labels make landed changes fuller; links and search documents follow. Which changes
still lack their words is read from the store, so an interruption is made good by the next run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from watcher.facts.change import Change
from watcher.facts.issue import PullRequestWords
from watcher.history.body import boilerplate
from watcher.history.words import enrich, named_issues
from watcher.matching.document import document
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.link_history import link_history
from watcher.pipeline.reindex import index_issues
from watcher.pipeline.words import WordsRequest, WordsResult, fetch_words
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.github import GitHub
from watcher.ports.progress import Progress
from watcher.ports.store import Store
from watcher.ports.walk import Walk

_BATCH: Final = 200


def bring_words(
    followed: FollowedUpstream,
    store: Store,
    github: GitHub,
    *,
    since: datetime,
    progress: Progress,
) -> WordsResult | None:
    """Fetch what is new on GitHub and work it in; None before a first walk.

    ``since`` is the time of the earliest pin: what landed or was active since is wanted. Raises
    StoreError and MirrorError; what GitHub refuses is told in the result.
    """
    walk = store.walk(followed.upstream)
    if walk is None:
        return None
    changes = _wanted_changes(store.messages(followed.upstream), since)
    request = WordsRequest(
        upstream=followed.upstream,
        profile=followed.profile,
        since=since,
        numbers=[one.number for one in changes if one.number is not None],
        named=named_issues(changes),
    )
    result = fetch_words(store, github, request, progress)
    work_in_words(followed, store, walk)
    if result.issues:
        index_issues(followed, store, result.issues)
    return result


def work_in_words(followed: FollowedUpstream, store: Store, walk: Walk) -> int:
    """Enrich the changes whose words are stored but not worked in; returns how many.

    Fuller changes and all links are saved in one transaction.
    """
    changes = store.messages(followed.upstream)
    numbers = tuple(one.number for one in changes if one.number is not None and not one.has_words)
    words = store.words(followed.upstream, numbers) if numbers else {}
    if not words:
        return 0
    fuller: dict[str, Change] = {}
    count = store.save_walk(
        walk,
        _enriched(followed, store, words, _common_lines(store, walk), fuller),
        lambda: link_history(
            followed, walk.tags, [fuller.get(change.sha, change) for change in changes]
        ),
        restart=False,
    )
    revision = f"words:{followed.upstream}"
    store.save_cursor(revision, str(int(store.cursor(revision) or 0) + 1))
    return count


def _enriched(
    followed: FollowedUpstream,
    store: Store,
    words: Mapping[int, PullRequestWords],
    common: frozenset[str],
    fuller: dict[str, Change],
) -> Iterator[Change]:
    """Fuller changes, indexed on the way; they are noted in ``fuller`` for the links."""
    for numbers in _batches(list(words)):
        which = ChangeFilter(numbers=numbers, off_line=None)
        batch = [
            enrich(change, told, followed.profile, common)
            for change in store.changes(followed.upstream, which)
            if change.number is not None and (told := words.get(change.number)) is not None
        ]
        followed.index.add([document(change) for change in batch])
        for change in batch:
            fuller[change.sha] = change
            yield change


def _wanted_changes(changes: Sequence[Change], since: datetime) -> list[Change]:
    """Changes of the tracked line after the earliest pin, newest first: the others cost as much
    and are seldom asked for.
    """
    return sorted(
        (one for one in changes if one.position is not None and one.message.committed_at >= since),
        key=lambda one: one.message.committed_at,
        reverse=True,
    )


def _common_lines(store: Store, walk: Walk) -> frozenset[str]:
    """Boilerplate of the descriptions, and of the commits' own bodies."""
    words = store.words(walk.upstream).values()
    return boilerplate(one.body for one in words) | frozenset(walk.boilerplate)


def _batches(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(numbers), _BATCH):
        yield tuple(numbers[start : start + _BATCH])
