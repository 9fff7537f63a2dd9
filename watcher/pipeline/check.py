"""The use case ``check``: is this symptom known? Local causes first, then upstream's changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.errors import MirrorError
from watcher.facts.change import BEFORE_RANGE, Change
from watcher.facts.item import Evidence, EvidenceKind, Item, Tier
from watcher.facts.pin import ResolvedPin
from watcher.facts.presence import Verdict
from watcher.facts.symptom import Symptom
from watcher.matching.confidence import is_certain
from watcher.matching.rank import Ranked, logistic
from watcher.matching.tiers import gate
from watcher.pipeline.assess import Assessor
from watcher.pipeline.family_order import lend
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import Judgement, change_item
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.reindex import reindex
from watcher.pipeline.search import Searched, SearchTools, Window, search
from watcher.report.answer import Answer, PinStatus
from watcher.symptom.frames import PathIndex

DEFAULT_LIMIT: Final = 10
LIKELY: Final = 0.7
POSSIBLE: Final = 0.2
"""Least scores of the tiers of an answer to a symptom."""
_EXCLUDED: Final = -3.0
"""Weight of what rules a change out for this user."""
_SPARE: Final = 2
"""Judged are this many times the items shown: presence reorders them."""


class Hit(Struct, frozen=True, kw_only=True):
    """One ranked item before its place among all pins is known."""

    item: Item
    total: float
    is_demoted: bool


class PinAnswer(Struct, frozen=True, kw_only=True):
    """What one pin's upstream says to a symptom."""

    hits: tuple[Hit, ...]
    ranked: tuple[Ranked, ...]
    held: Hit | None
    """The best match among what the pin has already, when it is better than all others."""
    searched: int
    issues: int = 0
    """Bug reports that were candidates."""


class Checker(Struct, frozen=True, kw_only=True):
    """Answers symptoms for one user."""

    assessor: Assessor
    tools: SearchTools
    limit: int = DEFAULT_LIMIT

    def check(
        self,
        symptom: Symptom,
        pins: Sequence[Pinned],
        statuses: Sequence[PinStatus],
        *,
        local: Sequence[Item] = (),
        now: datetime,
    ) -> Answer:
        """The answer over all pins.

        ``local`` are advisories that recognise the symptom. Likely ones name the cause and come
        first; others are hints, and stay behind an upstream change that is certain.
        """
        answers = [self.ask(symptom, *one) for one in resolved(pins)]
        hits = _with_families([hit for answer in answers for hit in answer.hits])
        hits.sort(key=lambda hit: (hit.is_demoted, -hit.total, hit.item.id))
        held = [answer.held for answer in answers if answer.held is not None]
        held.sort(key=lambda hit: -hit.total)
        ranked = sorted((r for a in answers for r in a.ranked), key=lambda r: -r.total)
        certain = is_certain(ranked, symptom, self.tools.weights) and not symptom.is_empty
        items = [hit.item for hit in (*held[:1], *hits)]
        named = [item for item in local if item.tier is Tier.LIKELY]
        if named or not certain:
            items = [_at_most_possible(item) for item in items]
        hints = [item for item in local if item.tier is not Tier.LIKELY]
        shown = items[: self.limit]
        return Answer(
            command="check",
            generated_at=now,
            pins=tuple(statuses),
            symptom=symptom,
            items=(*shown, *hints) if certain and not named else (*named, *hints, *shown),
            no_match=not certain and not named,
            not_watched=_not_watched(symptom, pins),
            searched_changes=sum(answer.searched for answer in answers),
            searched_issues=sum(answer.issues for answer in answers),
        )

    def ask(self, symptom: Symptom, one: Pinned, pin: ResolvedPin, horizon: Horizon) -> PinAnswer:
        """One upstream's changes after the pin, ranked and judged."""
        if one.walk is not None:
            reindex(one.followed, self.tools.store, one.walk)  # no work unless the file was lost
        tree = tree_of(one, pin, symptom)
        contained = self.assessor.carried.contained(one, pin, horizon)
        states: dict[str, PinState] = {}

        def judge_all(changes: Sequence[Change]) -> Mapping[str, Verdict]:
            links = self.assessor.links_of(one, horizon, changes)
            states["now"] = PinState(self.tools.store, pin, horizon, contained, links)
            return states["now"].verdicts(changes)

        window = Window(after=pin.position, until=horizon.position, tree=tree)
        found = search(one.followed, symptom, window, self.tools, judge=judge_all, with_issues=True)
        best = found.ranked[: self.limit * _SPARE]
        hits = self._hits(one, found, states["now"], [r for r in best if r.key in found.changes])
        hits += self._reports(one, pin, horizon, found, [r for r in best if r.key in found.issues])
        return PinAnswer(
            hits=tuple(hits),
            ranked=found.ranked,
            held=self._held(symptom, one, pin, horizon, tree, found),
            searched=horizon.position - pin.position,
            issues=len(found.issues),
        )

    def _reports(
        self,
        one: Pinned,
        pin: ResolvedPin,
        horizon: Horizon,
        found: Searched,
        best: Sequence[Ranked],
    ) -> list[Hit]:
        """Bug reports that match; one that a listed change mends stands behind that change."""
        if not best:
            return []
        from watcher.pipeline.issue_items import IssueBook  # where no issues are known, not needed

        book = IssueBook(self.assessor, one, pin, horizon)
        items = book.some([found.issues[ranked.key] for ranked in best])
        hits = []
        for ranked in best:
            judged = items.get(int(ranked.key.removeprefix("#")))
            if judged is None or judged.collapsed == "duplicates":
                continue
            score = logistic(self.tools.weights.constant + ranked.total)
            item = replace(
                judged.item,
                tier=_tier(score),
                score=score,
                constant=self.tools.weights.constant,
                evidence=ranked.evidence,
            )
            is_mended = item.mended_by is not None
            hits.append(Hit(item=item, total=ranked.total, is_demoted=is_mended))
        return hits

    def _hits(
        self, one: Pinned, found: Searched, state: PinState, best: Sequence[Ranked]
    ) -> list[Hit]:
        changes = [found.changes[ranked.key] for ranked in best]
        judge_by_usage = self.assessor.scorer(one, changes)
        hits = []
        for ranked, change in zip(best, changes, strict=True):
            links = state.links.get(change.sha)
            limits = judge_by_usage(change, links).limited_by
            hits.append(self._hit(one.name, ranked, change, state, limits))
        return hits

    def _held(
        self,
        symptom: Symptom,
        one: Pinned,
        pin: ResolvedPin,
        horizon: Horizon,
        tree: PathIndex,
        found: Searched,
    ) -> Hit | None:
        """The best match in the pin's own history, when it beats everything that came later."""
        if pin.position <= BEFORE_RANGE:
            return None
        window = Window(after=BEFORE_RANGE - 1, until=pin.position, tree=tree)
        older = search(one.followed, symptom, window, self.tools)
        if not older.ranked or (found.ranked and older.ranked[0].total <= found.ranked[0].total):
            return None
        if not is_certain(older.ranked, symptom, self.tools.weights):
            return None
        best = older.ranked[0]
        change = older.changes[best.key]
        links = self.assessor.links_of(one, horizon, [change])
        state = PinState(self.tools.store, pin, horizon, {}, links)
        hit = self._hit(one.name, best, change, state, ())
        detail = "already in your pin: another cause, or it came back"
        return replace(hit, item=replace(hit.item, presence_detail=detail))

    def _hit(
        self, name: str, ranked: Ranked, change: Change, state: PinState, limits: Sequence[str]
    ) -> Hit:
        verdict = state.verdict(change)
        excluded = tuple(
            Evidence(kind=EvidenceKind.SCOPE, weight=_EXCLUDED, detail=detail)
            for detail in limits[:1]
        )
        total = ranked.total + sum(one.weight for one in excluded)
        score = logistic(self.tools.weights.constant + total)
        gated = gate(_tier(score), verdict)
        judgement = Judgement(
            tier=gated.tier,
            score=score,
            constant=self.tools.weights.constant,
            evidence=(*ranked.evidence, *excluded),
        )
        links = state.links.get(change.sha)
        item = change_item(name, change, links, verdict, judgement, state.name_of)
        if gated.collapsed == "contained":
            detail = f"{verdict.detail}: another cause, or it came back"
            item = replace(item, presence_detail=detail)
        item = replace(item, extra=(*item.extra, *state.family_state(links)))
        return Hit(item=item, total=total, is_demoted=gated.collapsed == "absent")


def tree_of(one: Pinned, pin: ResolvedPin, symptom: Symptom) -> PathIndex:
    """The files of the pin, by which frames are found; none when the mirror cannot tell.

    Without frames nothing is looked up: listing 60,000 files takes half a second.
    """
    if not symptom.frames:
        return PathIndex(())
    try:
        return PathIndex(one.followed.mirror.files(pin.sha))
    except MirrorError:
        return PathIndex(())


def _at_most_possible(item: Item) -> Item:
    return replace(item, tier=Tier.POSSIBLE) if item.tier is Tier.LIKELY else item


def _not_watched(symptom: Symptom, pins: Sequence[Pinned]) -> tuple[str, ...]:
    watched = {one.followed.profile.module for one in pins}
    watched |= {one.followed.profile.package or "" for one in pins}
    return tuple(name for name in symptom.packages if name not in watched)


def _with_families(hits: Sequence[Hit]) -> list[Hit]:
    lent = lend([(hit.item, hit.total) for hit in hits])
    return [
        replace(hit, item=item, total=total) for hit, (item, total) in zip(hits, lent, strict=True)
    ]


def _tier(score: float) -> Tier:
    if score >= LIKELY:
        return Tier.LIKELY
    return Tier.POSSIBLE if score >= POSSIBLE else Tier.UNLIKELY
