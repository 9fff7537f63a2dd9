"""Use case: bring what people wrote on GitHub into the store, at the least possible cost.

Issues first, then the pull requests that landed, then the issues that those name. Everything is
saved answer by answer, so an interruption loses one answer at most and the next run goes on; what
is stored is never asked for again. A failure of GitHub ends this use case, not the sync: git's
facts are complete without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from watcher.errors import RemoteError
from watcher.facts.issue import Issue, IssueLink
from watcher.history.github_json import with_links, with_states
from watcher.history.issues import is_bug_report, read_issue
from watcher.history.words import named_by_words
from watcher.pipeline.stored_walks import read_walk, walk_text
from watcher.pipeline.upstream_name import note_name
from watcher.ports.github import GitHub, GitHubCost, WordsBatch
from watcher.ports.issue_walk import IssueWalk, OpenWalk
from watcher.ports.json import Json
from watcher.ports.progress import Progress
from watcher.ports.store import Store
from watcher.upstreams.profile import Profile

NAMED_LIMIT: Final = 200
"""Issues asked for by number in one run; the rest comes with the next ones."""
_NO_PULLS: Final = "github-no-pulls"
_NO_ISSUES: Final = "github-no-issues"
"""Documents with the numbers that GitHub says are none."""
_TRIED_PULLS: Final = "github-tried-pulls"
_TRIED_ISSUES: Final = "github-tried-issues"
"""Documents with the numbers that GitHub could not answer for."""


class WordsRequest(Struct, frozen=True, kw_only=True):
    """What to bring in for one upstream."""

    upstream: str
    profile: Profile
    since: datetime
    """Oldest activity of issues that is wanted: the time of the earliest pin."""
    numbers: Sequence[int]
    """Pull requests that landed, most wanted first."""
    named: Sequence[int] = ()
    """Issues that landed changes name (``history.words.named_issues``)."""


class WordsResult(Struct, frozen=True, kw_only=True):
    """What came in, what it cost, and what is missing."""

    cost: GitHubCost
    pull_requests: tuple[int, ...] = ()
    """Numbers whose words are new: their changes want enriching."""
    issues: tuple[int, ...] = ()
    """Numbers of issues that are new or were updated."""
    notes: tuple[str, ...] = ()
    """One line each: a renaming, what is left out."""
    problem: str | None = None
    """Why it ended early, or None."""


class _Haul(Struct):
    """What one run has brought in so far."""

    pull_requests: dict[int, None] = field(default_factory=dict)
    issues: dict[int, None] = field(default_factory=dict)
    named: dict[int, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)


def fetch_words(
    store: Store, github: GitHub, request: WordsRequest, progress: Progress
) -> WordsResult:
    """Fetch and save what is new on GitHub. Raises StoreError only."""
    haul = _Haul()
    problem: str | None = None
    try:
        if github.has_token:
            _fetch_issues(store, github, request, progress, haul)
            _fetch_pull_requests(store, github, request, progress, haul)
            _fetch_named(store, github, request, progress, haul)
        else:
            _fetch_open_issues(store, github, request, progress, haul)
    except RemoteError as error:
        problem = str(error)
    return WordsResult(
        cost=github.cost(),
        pull_requests=tuple(haul.pull_requests),
        issues=tuple(haul.issues),
        notes=tuple(haul.notes),
        problem=problem,
    )


# --- issues by activity ---


def _fetch_issues(
    store: Store, github: GitHub, request: WordsRequest, progress: Progress, haul: _Haul
) -> None:
    cursor = f"issues:{request.upstream}"
    stored = read_walk(IssueWalk, store.cursor(cursor))
    walk = _next_walk(stored, request.since, request.profile)
    read = 0
    for page in github.issues(request.upstream, walk):
        _save_issues(store, request, page.issues, haul)
        _refresh_links(store, request.upstream, page.pulls, haul)
        store.save_cursor(cursor, walk_text(page.walk))
        _note_name(store, request.upstream, page.upstream, haul)
        read += len(page.issues)
        progress.step("issues", read, None)


def _next_walk(stored: IssueWalk | None, since: datetime, profile: Profile) -> IssueWalk:
    """Where to read on: an earlier start begins anew, a finished walk is followed up.

    Of a very large upstream a first walk reads the issues with the profile's labels alone.
    """
    if stored is None or since < stored.since:
        labels = profile.issues.labels if profile.large else ()
        return IssueWalk(since=since, reached=since, labels=labels)
    return stored.later() if stored.is_done else stored


def _fetch_open_issues(
    store: Store, github: GitHub, request: WordsRequest, progress: Progress, haul: _Haul
) -> None:
    cursor = f"open-issues:{request.upstream}"
    stored = read_walk(OpenWalk, store.cursor(cursor))
    is_earlier = stored is not None and stored.is_first and request.since < stored.floor
    if stored is None or is_earlier:
        walk = OpenWalk(floor=request.since)
    else:
        walk = stored.later() if stored.is_done else stored
    read = 0
    try:
        for page in github.open_issues(request.upstream, walk):
            _save_issues(store, request, page.issues, haul)
            walk = page.walk
            store.save_cursor(cursor, walk_text(walk))
            _note_name(store, request.upstream, page.upstream, haul)
            read += len(page.issues)
            progress.step("issues", read, None)
    finally:
        _note_missing(request, walk, haul)


def _note_missing(request: WordsRequest, walk: OpenWalk, haul: _Haul) -> None:
    mend = "set GITHUB_TOKEN for the rest"
    told = f"{request.upstream}: read without a token"
    lacking = f"descriptions and labels of {len(request.numbers)} changes"
    if not walk.is_done:
        back_to = walk.low.date().isoformat() if walk.low else "now"
        lacking += f", open issues not active since {back_to}"
    haul.notes[f"{told}; missing: {lacking} ({mend})"] = None


# --- by number ---


def _fetch_pull_requests(
    store: Store, github: GitHub, request: WordsRequest, progress: Progress, haul: _Haul
) -> None:
    upstream = request.upstream
    known = store.words(upstream).keys() | _numbers(store, upstream, _NO_PULLS)
    wanted = _wanted(store, upstream, _TRIED_PULLS, request.numbers, known)
    done = 0
    for batch in github.pull_requests(upstream, wanted) if wanted else ():
        _save_batch(store, request, batch, haul)
        _add_numbers(store, upstream, _NO_PULLS, batch.absent)
        _add_numbers(store, upstream, _TRIED_PULLS, batch.unreadable)
        done += len(batch.words) + len(batch.absent) + len(batch.unreadable)
        progress.step("descriptions", done, len(wanted))


def _fetch_named(
    store: Store, github: GitHub, request: WordsRequest, progress: Progress, haul: _Haul
) -> None:
    """Issues that landed changes name and no page brought, and originals of duplicates."""
    upstream = request.upstream
    issues = store.issues(upstream)
    originals = (issue.duplicate_of for issue in issues if issue.duplicate_of is not None)
    known = {issue.number for issue in issues} | store.words(upstream).keys()
    known |= _numbers(store, upstream, _NO_ISSUES) | set(request.numbers)
    named = (*request.named, *haul.named, *originals)
    wanted = _wanted(store, upstream, _TRIED_ISSUES, named, known)
    if len(wanted) > NAMED_LIMIT:
        left = len(wanted) - NAMED_LIMIT
        haul.notes[f"{upstream}: {left} named issues wait for the next sync"] = None
        wanted = wanted[:NAMED_LIMIT]
    done = 0
    for batch in github.named_issues(upstream, wanted) if wanted else ():
        _save_batch(store, request, batch, haul)
        _add_numbers(store, upstream, _NO_ISSUES, batch.absent)
        _add_numbers(store, upstream, _TRIED_ISSUES, batch.unreadable)
        done += len(batch.words) + len(batch.issues) + len(batch.absent)
        progress.step("named issues", done, len(wanted))


def _wanted(
    store: Store, upstream: str, tried: str, numbers: Iterable[int], known: AbstractSet[int]
) -> list[int]:
    """Numbers to ask for: what was tried in vain rides along when there is something new."""
    wanted = [number for number in dict.fromkeys(numbers) if number not in known]
    in_vain = _numbers(store, upstream, tried) if wanted else set()
    return wanted if any(number not in in_vain for number in wanted) else []


def _save_batch(store: Store, request: WordsRequest, batch: WordsBatch, haul: _Haul) -> None:
    _save_issues(store, request, batch.issues, haul, are_named=True)
    store.save_words(batch.words)
    for words in batch.words:
        haul.pull_requests[words.number] = None
        for number in named_by_words(words, request.profile):
            haul.named[number] = None
    if batch.unreadable:
        told = ", ".join(f"#{number}" for number in batch.unreadable[:5])
        haul.notes[f"{request.upstream}: GitHub could not answer for {told}"] = None
    _note_name(store, request.upstream, batch.upstream, haul)


# --- saving ---


def _save_issues(
    store: Store,
    request: WordsRequest,
    issues: Iterable[Issue],
    haul: _Haul,
    *,
    are_named: bool = False,
) -> None:
    """Save bug reports, what is stored already, and what a landed change names."""
    told = {issue.number: issue for issue in issues}
    if not told:
        return
    stored = {issue.number: issue for issue in store.issues(request.upstream, list(told))}
    kept: list[Issue] = []
    for number, issue in told.items():
        before = stored.get(number)
        is_bug = is_bug_report(issue, request.profile.issues)
        if not (is_bug or are_named or before is not None):
            continue
        after = _merged(before, replace(issue, is_bug=is_bug), request.profile)
        if after != before:
            kept.append(after)
            haul.issues[number] = None
    store.save_issues(kept)


def _refresh_links(store: Store, upstream: str, pulls: Sequence[IssueLink], haul: _Haul) -> None:
    """Note what became of linked pull requests: that alone does not make an issue active."""
    present = {pull.number: pull for pull in pulls}
    stored = store.issues(upstream) if present else []
    changed = [after for one in stored if (after := with_states(one, present)) != one]
    store.save_issues(changed)
    haul.issues.update(dict.fromkeys(issue.number for issue in changed))


def _merged(before: Issue | None, issue: Issue, profile: Profile) -> Issue:
    """The later telling, with the links of both: what came along with a pull request has few."""
    if before is None:
        return read_issue(issue, profile)
    if (issue.updated_at, len(issue.links)) <= (before.updated_at, len(before.links)):
        return with_links(before, issue.links)
    return with_links(read_issue(issue, profile), before.links)


def _numbers(store: Store, upstream: str, what: str) -> set[int]:
    """A stored set of numbers."""
    listed = store.document(what, upstream)
    return {one for one in listed if isinstance(one, int)} if isinstance(listed, list) else set()


def _add_numbers(store: Store, upstream: str, what: str, numbers: Sequence[int]) -> None:
    if numbers:
        known: list[Json] = [*sorted(_numbers(store, upstream, what) | set(numbers))]
        store.save_document(what, upstream, known)


def _note_name(store: Store, upstream: str, present: str, haul: _Haul) -> None:
    told = note_name(store, upstream, present)
    if told:
        haul.notes[told] = None
