"""Judges every change that a pin lacks: presence, then how likely it bites this user.

What is found is kept in the store under a fingerprint of everything it was made from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import msgspec

from watcher.facts import Change, Item, Links, ResolvedPin, Tier, Verdict
from watcher.matching.affected import AffectedScorer
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document
from watcher.matching.rules.context import Surroundings, build_context
from watcher.matching.tiers import gate
from watcher.matching.usage_weights import UsageWeights
from watcher.matching.weights import RankWeights
from watcher.pipeline.carried import CarriedReader
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import Judgement, by_likeliness, change_item, item_name
from watcher.pipeline.landed_line import StoredLine
from watcher.pipeline.link_history import link_history
from watcher.pipeline.pinned import Pinned
from watcher.pipeline.user import User
from watcher.ports import ChangeFilter, Store
from watcher.presence.contained import Containment
from watcher.presence.verdict import PinView, judge

FINDINGS_FORMAT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One judged change."""

    item: Item
    collapsed: str | None = None
    """Reason under which it is only counted, or None when it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The numbers of the rules, and the text that they come from."""

    usage: UsageWeights
    rank: RankWeights
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessor:
    """Judges the changes of pins for one user."""

    store: Store
    carried: CarriedReader
    user: User
    weights: Weights
    now: datetime

    def findings(self, one: Pinned, pin: ResolvedPin, horizon: Horizon) -> list[Found]:
        """All changes after the pin's fork point, most likely first; kept ones when still true."""
        if horizon.is_moved or pin.ref != _written(one):
            return self.assess(one, pin, horizon)
        contained = self.carried.contained(one, pin, horizon)
        fingerprint = self._fingerprint(one, pin, horizon, contained)
        kept = self.store.findings(one.name)
        if kept is not None and kept[0] == fingerprint:
            return [msgspec.convert(row, Found) for row in kept[1]]
        found = self.assess(one, pin, horizon, contained)
        rows = [(each.item.id, msgspec.to_builtins(each)) for each in found]
        self.store.save_findings(one.name, fingerprint, rows, self.now)
        return found

    def assess(
        self,
        one: Pinned,
        pin: ResolvedPin,
        horizon: Horizon,
        contained: Mapping[str, Containment] | None = None,
    ) -> list[Found]:
        """The same, worked out now."""
        if contained is None:
            contained = self.carried.contained(one, pin, horizon)
        changes = self._changes(one, pin, horizon)
        links = self._links(one, horizon)
        pin_state = PinState(self.store, pin, horizon, contained, links)
        scorer = self._scorer(one, changes)
        found = [
            found_change(one.name, change, pin_state, scorer(change, links.get(change.sha)))
            for change in changes
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
        links = self._links(one, horizon)
        state = PinState(self.store, pin, horizon, contained, links)
        judged = self._scorer(one, [change])(change, links.get(change.sha))
        return found_change(one.name, change, state, judged).item

    def _changes(self, one: Pinned, pin: ResolvedPin, horizon: Horizon) -> list[Change]:
        upstream = one.setting.upstream
        later = ChangeFilter(after=pin.position, until=horizon.position)
        changes = self.store.changes(upstream, later)
        if pin.branch is not None:
            held = set(pin.carried)
            beside = self.store.changes(upstream, ChangeFilter(off_line=True))
            links = self._links(one, horizon)
            changes += [
                change
                for change in beside
                if change.branch == pin.branch
                and change.sha not in held
                and change.message.committed_at > pin.committed_at
                and not (change.sha in links and links[change.sha].equivalents)
            ]
        return changes

    def _links(self, one: Pinned, horizon: Horizon) -> dict[str, Links]:
        upstream = one.setting.upstream
        if not horizon.is_moved:
            return self.store.links(upstream)
        known = [
            change
            for change in self.store.messages(upstream)
            if (change.position is not None and change.position <= horizon.position)
            or (change.position is None and change.message.committed_at <= horizon.at)
        ]
        return {link.sha: link for link in link_history(one.followed, horizon.tags, known)}

    def _scorer(
        self, one: Pinned, changes: Sequence[Change]
    ) -> Callable[[Change, Links | None], Judgement]:
        documents = one.followed.index.documents([change.sha for change in changes])
        for change in changes:
            if change.sha not in documents:
                documents[change.sha] = document(change)
        ways = self.user.ways.get(one.name)
        around = Surroundings(
            corpus=corpus_of(documents.values()),
            fields=self.weights.rank.fields,
            graph=None if ways is None else ways.graph,
            program=None if ways is None else ways.program,
            issues=self.store.issues(one.setting.upstream),
        )
        context = build_context(self.user.usage, one.followed.profile, around)
        scorer = AffectedScorer(context, self.weights.usage)

        def score(change: Change, links: Links | None) -> Judgement:
            affected = scorer.score(change, links, documents[change.sha])
            return Judgement(
                tier=affected.tier,
                score=affected.score,
                constant=affected.constant,
                evidence=affected.evidence,
            )

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


class PinState:
    """A pin as verdicts ask for it: where it stands, what it carries, what others are called."""

    def __init__(
        self,
        store: Store,
        pin: ResolvedPin,
        horizon: Horizon,
        contained: Mapping[str, Containment],
        links: Mapping[str, Links],
    ) -> None:
        self.pin = pin
        self.links = links
        self._contained = contained
        self._view = PinView(pin.position, horizon.position)
        self._line = StoredLine(store, pin.upstream)

    def verdict(self, change: Change) -> Verdict:
        """Presence of a change."""
        links = self.links.get(change.sha)
        return judge(change, links, self._view, self._line, self._contained.get(change.sha))

    def name_of(self, sha: str) -> str:
        """Item name of a change by its sha."""
        landed = self._line.by_sha(sha)
        return item_name(self.pin.name, None if landed is None else landed.number, sha)

    def holds(self, sha: str) -> bool:
        """True when the pin has a change, in its history or by backport."""
        landed = self._line.by_sha(sha)
        position = None if landed is None else landed.position
        is_older = position is not None and position <= self.pin.position
        return is_older or sha in self._contained or sha in self.pin.carried

    def family_state(self, links: Links | None) -> tuple[tuple[str, str], ...]:
        """``you have 1 of 3; left: …`` for a change with a family."""
        if links is None or len(links.family) < 2:
            return ()
        members = _once(links.family, self.links)
        left = [sha for sha in members if not self._has_any(sha)]
        words = f"you have {len(members) - len(left)} of {len(members)}"
        if left:
            words += "; left: " + ", ".join(self.name_of(sha) for sha in left)
        return (("family_state", words),)

    def _has_any(self, sha: str) -> bool:
        links = self.links.get(sha)
        return any(self.holds(one) for one in (sha, *(links.equivalents if links else ())))


def _once(family: Iterable[str], links: Mapping[str, Links]) -> list[str]:
    """Members of a family, equivalents counted once."""
    members: list[str] = []
    for sha in family:
        equivalents = links[sha].equivalents if sha in links else ()
        if not any(other in members for other in equivalents):
            members.append(sha)
    return members


def found_change(name: str, change: Change, state: PinState, judged: Judgement) -> Found:
    """The item of one change with the reason why it is only counted, if there is one."""
    links = state.links.get(change.sha)
    verdict = state.verdict(change)
    item = change_item(name, change, links, verdict, judged, state.name_of)
    gated = gate(judged.tier or Tier.UNLIKELY, verdict)
    extra = (*item.extra, *state.family_state(links))
    if gated.sentence and gated.tier is not judged.tier:
        extra = (*extra, ("tier_reason", gated.sentence))
    return Found(item=replace(item, tier=gated.tier, extra=extra), collapsed=gated.collapsed)


def _written(one: Pinned) -> str:
    return one.setting.ref or one.pin.ref
