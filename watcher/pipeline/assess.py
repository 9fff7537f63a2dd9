"""Judges every change that a pin lacks: presence, then how likely it bites this user.

What is found is kept in the store under a fingerprint of everything it was made from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from watcher.facts.change import BEFORE_RANGE, Change
from watcher.facts.document import Document
from watcher.facts.item import Item, Tier
from watcher.facts.links import Links
from watcher.facts.pin import ResolvedPin
from watcher.matching.affected import Affected, AffectedScorer
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document, focused
from watcher.matching.rules.context import Surroundings, build_context, setting_tokens
from watcher.matching.tiers import gate
from watcher.matching.usage_weights import UsageWeights
from watcher.matching.weights import RankWeights
from watcher.pipeline.carried import CarriedReader
from watcher.pipeline.finding import Finding
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import Judgement, by_likeliness, change_item, item_name
from watcher.pipeline.memory import FindingsMemory
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.pinned import Pinned
from watcher.pipeline.user import User
from watcher.ports.change_filter import ALL_PARTS, LIGHT_PARTS, ChangeFilter, Part
from watcher.ports.store import Store
from watcher.presence.contained import Containment

FINDINGS_FORMAT: Final = 2
_AT_ONCE: Final = 500
"""Whole changes held in memory at one time."""
_JUDGED_PARTS: Final = ALL_PARTS - {Part.RAW_BODY}


class Weights(Struct, frozen=True, kw_only=True):
    """The numbers of the rules, and the text that they come from."""

    usage: UsageWeights
    rank: RankWeights
    digest: str


class Assessor(Struct, frozen=True, kw_only=True):
    """Judges the changes of pins for one user."""

    store: Store
    carried: CarriedReader
    user: User
    weights: Weights
    now: datetime
    memory: FindingsMemory = field(default_factory=FindingsMemory)

    def findings(self, one: Pinned, pin: ResolvedPin, horizon: Horizon) -> list[Finding]:
        """All changes after the pin's fork point, most likely first; kept ones when still true."""
        if horizon.is_moved or pin.ref != _written(one):
            return self.assess(one, pin, horizon)
        contained = self.carried.contained(one, pin, horizon)
        fingerprint = self._fingerprint(one, pin, horizon, contained)
        remembered = self.memory.recall(one.name, fingerprint)
        if remembered is not None:
            return list(remembered)
        kept = self.store.findings(one.name)
        if kept is not None and kept[0] == fingerprint:
            found = [msgspec.convert(row, Finding) for row in kept[1]]
        else:
            found = self.assess(one, pin, horizon, contained)
            rows = [(each.item.id, msgspec.to_builtins(each)) for each in found]
            self.store.save_findings(one.name, fingerprint, rows, self.now)
        self.memory.keep(one.name, fingerprint, found)
        return found

    def assess(
        self,
        one: Pinned,
        pin: ResolvedPin,
        horizon: Horizon,
        contained: Mapping[str, Containment] | None = None,
    ) -> list[Finding]:
        """The same, worked out now."""
        if contained is None:
            contained = self.carried.contained(one, pin, horizon)
        links = self.links(one, horizon)
        state = PinState(self.store, pin, horizon, contained, links)
        wanted = _last_landings(self._window(one, pin, horizon, state))
        judge_by_usage = self._scorer(one, wanted, partial(self._read, pin.upstream))
        found = [
            found_change(one.name, change, state, judge_by_usage(change, links.get(change.sha)))
            for some in _batches(wanted)
            for change in self._read(pin.upstream, some)
        ]
        order = {item.id: at for at, item in enumerate(by_likeliness(f.item for f in found))}
        return sorted(found, key=lambda each: order[each.item.id])

    def judge_one(self, one: Pinned, pin: ResolvedPin, horizon: Horizon, change: Change) -> Item:
        """One change, among the findings of the pin when it is there, else on its own."""
        wanted = item_name(one.name, change.number, change.sha)
        for each in self.findings(one, pin, horizon):
            if each.item.id == wanted:
                return each.item
        contained = self.carried.contained(one, pin, horizon)
        links = self.links(one, horizon)
        state = PinState(self.store, pin, horizon, contained, links)
        judged = self.scorer(one, [change])(change, links.get(change.sha))
        return found_change(one.name, change, state, judged).item

    def _window(
        self, one: Pinned, pin: ResolvedPin, horizon: Horizon, state: PinState
    ) -> list[Change]:
        """Every change that the pin may lack, without its diff; the state learns the whole line.

        Whole changes take some ten times the memory: they are read later, a few at a time.
        """
        upstream = one.setting.upstream
        found = []
        for after in range(BEFORE_RANGE, horizon.position, _AT_ONCE):
            until = min(after + _AT_ONCE, horizon.position)
            which = ChangeFilter(after=after, until=until, parts=frozenset())
            changes = self.store.changes(upstream, which)
            state.know(changes)
            found += [_bare(change) for change in changes if _is_after(change, pin)]
        if pin.branch is not None:
            which = ChangeFilter(off_line=True, parts=frozenset())
            beside = self.store.changes(upstream, which)
            state.know(beside)
            found += [change for change in beside if _is_beside(change, pin, state.links)]
        return found

    def _read(self, upstream: str, changes: Sequence[Change]) -> list[Change]:
        """The same changes with their diffs."""
        shas = tuple(change.sha for change in changes)
        which = ChangeFilter(shas=shas, off_line=None, parts=_JUDGED_PARTS)
        return self.store.changes(upstream, which)

    def links(self, one: Pinned, horizon: Horizon) -> dict[str, Links]:
        """Links of all changes, as of the horizon."""
        upstream = one.setting.upstream
        if not horizon.is_moved:
            return self.store.links(upstream)
        from watcher.pipeline.link_history import link_history  # the passes of a sync

        known = [
            change
            for change in self.store.messages(upstream)
            if (change.position is not None and change.position <= horizon.position)
            or (change.position is None and change.message.committed_at <= horizon.at)
        ]
        return {link.sha: link for link in link_history(one.followed, horizon.tags, known)}

    def links_of(
        self, one: Pinned, horizon: Horizon, changes: Sequence[Change]
    ) -> dict[str, Links]:
        """Links of some changes, as of the horizon."""
        if horizon.is_moved:
            return self.links(one, horizon)
        return self.store.links(one.setting.upstream, [change.sha for change in changes])

    def scorer(
        self, one: Pinned, changes: Sequence[Change]
    ) -> Callable[[Change, Links | None], Affected]:
        """What judges changes by the usage alone."""
        return self._scorer(one, changes, lambda lost: lost)

    def _scorer(
        self,
        one: Pinned,
        changes: Sequence[Change],
        read: Callable[[Sequence[Change]], Sequence[Change]],
    ) -> Callable[[Change, Links | None], Affected]:
        """The same for changes that may lack their diffs; ``read`` gives the whole ones."""
        wanted = setting_tokens(self.user.usage)
        documents: dict[str, Document] = {}

        def every() -> Iterator[Document]:
            for some in _batches(changes):
                found = one.followed.index.documents([change.sha for change in some])
                lost = [change for change in some if change.sha not in found]
                for each in (*found.values(), *map(document, read(lost) if lost else ())):
                    documents[each.key] = focused(each, wanted)
                    yield each

        ways = self.user.ways.get(one.name)
        around = Surroundings(
            corpus=corpus_of(every()),
            fields=self.weights.rank.fields,
            graph=None if ways is None else ways.graph,
            program=None if ways is None else ways.program,
            glosses=() if ways is None else ways.baseline.glosses,
            issues=self.store.issues(one.setting.upstream, None, LIGHT_PARTS),
        )
        context = build_context(self.user.usage, one.followed.profile, around)
        scorer = AffectedScorer(context, self.weights.usage)

        def score(change: Change, links: Links | None) -> Affected:
            return scorer.score(change, links, documents[change.sha])

        return score

    def _fingerprint(
        self,
        one: Pinned,
        pin: ResolvedPin,
        horizon: Horizon,
        contained: Mapping[str, Containment],
    ) -> str:
        parts = (
            str(FINDINGS_FORMAT),
            self.weights.digest,
            self.user.digest,
            pin.sha,
            horizon.head,
            repr(horizon.tags),
            repr(sorted(contained.items())),
            str(self.store.cursor(f"words:{one.setting.upstream}")),
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def found_change(name: str, change: Change, state: PinState, affected: Affected) -> Finding:
    """The item of one change with the reason why it is only counted, if there is one."""
    links = state.links.get(change.sha)
    verdict = state.verdict(change)
    judged = Judgement(
        tier=affected.tier,
        score=affected.score,
        constant=affected.constant,
        evidence=affected.evidence,
    )
    item = change_item(name, change, links, verdict, judged, state.name_of)
    gated = gate(judged.tier or Tier.UNLIKELY, verdict)
    extra = (*item.extra, *state.family_state(links))
    if gated.sentence and gated.tier is not judged.tier:
        extra = (*extra, ("tier_reason", gated.sentence))
    item = replace(item, tier=gated.tier, extra=extra)
    return Finding(item=item, collapsed=gated.collapsed, by_usage=affected.tier)


def _last_landings(changes: Sequence[Change]) -> list[Change]:
    """Changes in order, one that landed twice (reverted in between) at its last landing alone."""
    last = {change.number: change.sha for change in changes if change.number is not None}
    return [one for one in changes if one.number is None or last[one.number] == one.sha]


def _batches(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    return (changes[at : at + _AT_ONCE] for at in range(0, len(changes), _AT_ONCE))


def _bare(change: Change) -> Change:
    """A change without what its description says."""
    return replace(change, message=replace(change.message, body=""))


def _is_after(change: Change, pin: ResolvedPin) -> bool:
    return change.position is not None and change.position > pin.position


def _is_beside(change: Change, pin: ResolvedPin, links: Mapping[str, Links]) -> bool:
    """True for what came to the pin's own branch after the pin, and not to the tracked line."""
    return (
        change.branch == pin.branch
        and change.sha not in pin.carried
        and change.message.committed_at > pin.committed_at
        and not (change.sha in links and links[change.sha].equivalents)
    )


def _written(one: Pinned) -> str:
    return one.setting.ref or one.pin.ref
