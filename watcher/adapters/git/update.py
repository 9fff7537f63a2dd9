"""Brings a mirror up to date: what the remote offers, what is wanted, how deep, what came of it.

History is held from a *cutoff* (a commit time) on: early enough that every pinned commit is
inside together with its merge base with the tracked branch. All file contents of that range are
fetched, so that reading is offline. A server without filters or shallow clones is read in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from watcher.adapters.git import lossy, repository
from watcher.adapters.git.fetching import Ending, commit_dates, in_scratch
from watcher.adapters.git.process import Git
from watcher.adapters.git.remote import Advertised, Remote, check_remote, list_refs
from watcher.adapters.git.request import PINS, Wanted, asked, choose, offered
from watcher.adapters.git.state import Saved
from watcher.adapters.git.transfer import Transfer
from watcher.errors import MirrorError
from watcher.facts.ref import Tag
from watcher.ports.mirror import MirrorRequest, MirrorState
from watcher.ports.progress import Progress

DAY: Final = 86_400
DEFAULT_DAYS: Final = 90
"""History before the earliest fork point when nothing else is asked for."""
MOST_ROUNDS: Final = 7
"""Deepening doubles each time: the last round reaches 31 years back."""
EARLIEST: Final = 100_000_000
"""Smaller numbers are not read as epoch seconds by git."""


class Update:
    """One update of one mirror; made anew each time, under the mirror's lock."""

    def __init__(
        self,
        git: Git,
        remote: Remote,
        request: MirrorRequest,
        progress: Progress,
        saved: Saved | None,
    ) -> None:
        self._git, self._remote, self._request, self._progress = git, remote, request, progress
        self._saved = saved
        self._transfer = Transfer(git, remote, progress, is_lossy=bool(saved and saved.lost))
        self._dates: dict[str, int] = dict(saved.dates) if saved else {}
        self._refused: dict[str, str] = {}
        self._forks: dict[str, Transfer] = {}
        self._cutoff: int | None = saved.cutoff if saved else None
        self._notes: list[str] = []

    def run(self) -> Saved:
        """Do it. Raises MirrorError."""
        self._git.read(["rev-parse", "--is-bare-repository"])
        advertised = list_refs(self._git, self._remote)
        self._tell_move(advertised)
        wanted = choose(self._request, advertised)
        if self._saved is not None and self._is_current(self._saved, wanted):
            state = replace(self._saved.state, fetched_bytes=0, notes=tuple(self._notes))
            return replace(self._saved, state=state)
        self._tell_size()
        if self._survey(wanted):
            self._cutoff = self._choose_cutoff(wanted)
        else:
            self._cutoff = None
        pins = {PINS + sha for sha in wanted.shas}
        repository.prune(self._git, pins.union(self._targets(wanted)), wanted.branch)
        self._fetch(wanted)
        self._fetch_from_forks(wanted)
        self._deepen(wanted)
        return self._outcome(wanted)

    # --- what to fetch ---

    def _is_current(self, saved: Saved, wanted: Wanted) -> bool:
        return (
            saved.request == asked(self._request)
            and dict(saved.wanted) == offered(wanted)
            and wanted.head in commit_dates(self._git, [wanted.head])
        )

    def _survey(self, wanted: Wanted) -> bool:
        """Learn the commit times of the wanted refs by a fetch of single commits without trees.

        False when the server cannot do that, so that all of its history is to be fetched.
        """
        if self._saved is not None and self._saved.cutoff is None:
            return False
        named = {**wanted.tags, **wanted.releases, **wanted.named}
        if not wanted.pinned:
            named[wanted.tracked] = wanted.head
        names = {name: sha for name, sha in named.items() if sha not in self._dates}
        shas = [sha for sha in wanted.shas if sha not in self._dates]
        while names or shas:
            with in_scratch(self._git, self._remote, self._progress) as (scratch, fetcher):
                specs = [*(f"+{name}:{name}" for name in names), *(f"+{s}:{PINS}{s}" for s in shas)]
                fetched = fetcher.fetch(specs, "--depth=1", "--filter=tree:0")
                if fetched.ending is Ending.DONE:
                    self._dates |= commit_dates(scratch, [*names.values(), *shas])
                    return True
            if fetched.ending in {Ending.NO_FILTER, Ending.NO_SHALLOW}:
                return False
            if fetched.ending is not Ending.NOT_OURS or fetched.object not in shas:
                raise self._remote.failure(fetched.error)
            shas.remove(fetched.object)
            self._refused[fetched.object] = "the remote does not have this commit"
        return True

    def _choose_cutoff(self, wanted: Wanted) -> int:
        pins = [self._dates[sha] for sha in wanted.pinned if sha in self._dates]
        since = self._request.since
        if since is None:
            start = min(pins or [self._dates.get(wanted.head, 0)]) - DEFAULT_DAYS * DAY
        elif isinstance(since, datetime):
            start = min([int(since.timestamp()), *pins])
        elif wanted.since is None or wanted.since not in self._dates:
            raise MirrorError(
                f"since: no ref {since!r}", where=self._remote.address, mend="write a tag or a date"
            )
        else:
            start = min([self._dates[wanted.since], *pins])
        held = self._saved.cutoff if self._saved else None
        return max(EARLIEST, start if held is None else min(start, held))

    def _targets(self, wanted: Wanted) -> dict[str, str]:
        """Ref in the mirror -> commit, of all that is to be fetched now."""
        young = {
            name: sha
            for name, sha in {**wanted.tags, **wanted.releases}.items()
            if self._cutoff is None or self._dates.get(sha, 0) >= self._cutoff
        }
        pins = {PINS + sha: sha for sha in wanted.shas if sha not in self._refused}
        return {wanted.tracked: wanted.head, **wanted.named, **young, **pins}

    # --- fetching ---

    def _fetch(self, wanted: Wanted) -> None:
        """Fetch from the remote, giving up what it does not allow. Raises MirrorError."""
        while True:
            fetched = self._transfer.get(self._targets(wanted), self._cutoff)
            if fetched.ending is Ending.DONE:
                return
            if fetched.ending is Ending.NO_SHALLOW and self._cutoff is not None:
                self._cutoff = None
            elif fetched.ending is Ending.NOT_OURS and fetched.object in wanted.shas:
                self._refused[fetched.object] = "the remote does not give this commit"
            else:
                raise self._remote.failure(fetched.error)

    def _fetch_from_forks(self, wanted: Wanted) -> None:
        """Look for refused commits in the mirror and then in the forks that were named."""
        for sha in wanted.shas:
            if sha in self._refused and not commit_dates(self._git, [sha]):
                for address in self._request.extra_remotes:
                    if self._fetch_from_fork(sha, address):
                        break

    def _fetch_from_fork(self, sha: str, address: str) -> bool:
        same_host = urlsplit(address).netloc == urlsplit(self._remote.address).netloc
        remote = check_remote(address, self._request.token if same_host else None)
        transfer = Transfer(self._git, remote, self._progress, is_lossy=False)
        fetched = transfer.get({PINS + sha: sha}, self._cutoff)
        if fetched.ending is not Ending.DONE:
            self._refused[sha] += f"; nor has {address}"
            return False
        self._forks[sha] = transfer
        self._notes.append(f"{sha[:9]} is a commit of {address}")
        return True

    def _deepen(self, wanted: Wanted) -> None:
        """Fetch older history until every pin's merge base is inside, and the days before it."""
        pins = list(commit_dates(self._git, wanted.pinned))
        for turn in range(MOST_ROUNDS):
            if all(self._base_of(pin, wanted) for pin in pins) or not self._reach(
                wanted, (self._cutoff or 0) - DEFAULT_DAYS * DAY * 2**turn
            ):
                break
        if self._request.since is None and self._cutoff is not None:
            forks = [base for pin in pins if (base := self._base_of(pin, wanted)) is not None]
            if forks:
                earliest = min(commit_dates(self._git, forks).values())
                self._reach(wanted, earliest - DEFAULT_DAYS * DAY)

    def _base_of(self, pin: str, wanted: Wanted) -> str | None:
        return repository.merge_base(self._git, pin, wanted.head)

    def _reach(self, wanted: Wanted, cutoff: int) -> bool:
        """Fetch again down to an earlier time; False when there is nothing older to have."""
        if self._cutoff is None or cutoff >= self._cutoff or self._cutoff <= EARLIEST:
            return False
        if not repository.shallow_commits(self._git.directory):
            return False
        self._cutoff = max(EARLIEST, cutoff)
        self._fetch(wanted)
        for sha, transfer in self._forks.items():
            transfer.get({PINS + sha: sha}, self._cutoff)
        return True

    # --- the outcome ---

    def _outcome(self, wanted: Wanted) -> Saved:
        refs = repository.commits_of_refs(self._git)
        head = refs[wanted.tracked]
        dates = commit_dates(self._git, [*refs.values(), *wanted.shas])
        lost = lossy.find_lost(self._git) if self._transfer.is_lossy else ()
        if lost:
            self._notes.append(
                f"{len(lost)} objects are missing on the remote: the diffs of those files are left"
                " out"
            )
        state = MirrorState(
            head=head,
            branch=wanted.branch,
            base=repository.find_base(self._git, head),
            tags=_tags(wanted.tags, refs, dates),
            release_branches=tuple(
                (name.removeprefix("refs/heads/"), refs[name])
                for name in sorted(wanted.releases)
                if name in refs
            ),
            missing_refs=(*wanted.missing, *self._missing(wanted, head, dates)),
            fetched_bytes=sum(one.size for one in (self._transfer, *self._forks.values())),
            notes=tuple(self._notes),
        )
        return Saved(
            state=state,
            request=asked(self._request),
            wanted=offered(wanted),
            cutoff=self._cutoff,
            dates=self._dates | dates,
            lost=lost,
        )

    def _missing(
        self, wanted: Wanted, head: str, dates: Mapping[str, int]
    ) -> Iterator[tuple[str, str]]:
        for sha in wanted.shas:
            if sha not in dates:
                yield sha, self._refused.get(sha, "the remote does not have this commit")
        for pin in wanted.pinned:
            if pin in dates and repository.merge_base(self._git, pin, head) is None:
                yield pin, f"shares no history with {wanted.branch}"
        for short in wanted.short:
            if len(repository.commits_named(self._git, short)) != 1:
                yield short, "not one commit of the mirrored history; write all 40 digits"

    def _tell_move(self, advertised: Advertised) -> None:
        if advertised.moved_to is not None:
            self._tell(f"{self._remote.address} has moved to {advertised.moved_to}")

    def _tell_size(self) -> None:
        if self._saved is None and (self._request.large or self._request.size_hint_mb):
            size = self._request.size_hint_mb
            expected = f"about {size} MB for 1,000 changes" if size else "a large repository"
            self._tell(f"first fetch of {self._remote.address}: {expected}")

    def _tell(self, note: str) -> None:
        self._notes.append(note)
        self._progress.note(note)


def _tags(
    wanted: Mapping[str, str], refs: Mapping[str, str], dates: Mapping[str, int]
) -> tuple[Tag, ...]:
    tags = [
        Tag(name.removeprefix("refs/tags/"), sha, datetime.fromtimestamp(dates[sha], UTC))
        for name in wanted
        if (sha := refs.get(name)) is not None and sha in dates
    ]
    return tuple(sorted(tags, key=lambda tag: (tag.committed_at, tag.name)))
