"""Suspects: changes between a position that was good and the pin, whatever their titles say.

Ranked by what the symptom says and by what the user runs; no kind of change is better than another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from watcher.errors import RangeError, UsageError
from watcher.facts.change import Change
from watcher.facts.item import Item
from watcher.facts.pin import ResolvedPin
from watcher.facts.presence import Presence, Verdict
from watcher.facts.symptom import Symptom
from watcher.matching.affected import Affected
from watcher.matching.rank import Ranked, logistic
from watcher.matching.usage_weights import UsageWeights
from watcher.matching.weights import RankWeights
from watcher.pipeline.assess import Assessor
from watcher.pipeline.check import tree_of
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import Judgement, change_item
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.pinned import Moves, Pinned, find_pinned, resolved
from watcher.pipeline.search import SearchTools, Window, search
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.symptom.frames import PathIndex

DEFAULT_LIMIT: Final = 10
_JUDGED: Final = 1000
"""Changes of the window that the usage is asked about: those the symptom finds, then the newest."""
_OF_KIND: Final = frozenset({"closes", "mentions", "absent"})
_OF_MENDS: Final = frozenset({"quiet_kind", "closes_issue", "backported", "followed_up"})


class SuspectFinder(Struct, frozen=True, kw_only=True):
    """Finds suspects for one user."""

    assessor: Assessor
    tools: SearchTools
    limit: int = DEFAULT_LIMIT

    def find(
        self,
        symptom: Symptom,
        standing: tuple[Pinned, ResolvedPin, Horizon],
        good: ResolvedPin,
        tree: PathIndex,
    ) -> list[Item]:
        """The likeliest suspects first. Raises UsageError when ``good`` is not before the pin."""
        one, pin, horizon = standing
        if good.position > pin.position:
            what = f"`{good.ref}` is newer than your pin {pin.ref}"
            raise UsageError(what, where="--last-good", mend="name an earlier commit or tag")
        by_text = self._by_symptom(
            one, symptom, Window(after=good.position, until=pin.position, tree=tree)
        )
        changes = self._window(pin, good, by_text)
        links = self.assessor.links_of(one, horizon, changes)
        judge_by_usage = self._neutral.scorer(one, changes)
        state = PinState(self.tools.store, pin, horizon, {}, links)
        verdict = Verdict(
            presence=Presence.UNKNOWN,
            detail=f"came after {good.ref} and is in your pin: a suspect, not a mend",
        )
        judgements = (
            _judgement(judge_by_usage(change, links.get(change.sha)), by_text.get(change.sha))
            for change in changes
        )
        scored = list(zip(changes, judgements, strict=True))
        scored.sort(key=lambda pair: (-(pair[1].score or 0.0), -(pair[0].position or 0)))
        return [
            change_item(one.name, change, links.get(change.sha), verdict, judgement, state.name_of)
            for change, judgement in scored[: self.limit]
        ]

    @property
    def _neutral(self) -> Assessor:
        weights = self.assessor.weights
        return replace(self.assessor, weights=replace(weights, usage=neutral_usage(weights.usage)))

    def _by_symptom(self, one: Pinned, symptom: Symptom, window: Window) -> Mapping[str, Ranked]:
        if symptom.is_empty:
            return {}
        tools = replace(self.tools, weights=neutral_rank(self.tools.weights))
        return {each.key: each for each in search(one.followed, symptom, window, tools).ranked}

    def _window(
        self, pin: ResolvedPin, good: ResolvedPin, by_text: Mapping[str, Ranked]
    ) -> list[Change]:
        """What came between and runs somewhere, on the tracked line and on the pin's branch."""
        store, upstream = self.tools.store, pin.upstream
        light = ChangeFilter(after=good.position, until=pin.position, parts=frozenset())
        between = [one.sha for one in reversed(store.changes(upstream, light))]
        beside = [sha for sha in pin.carried if sha not in good.carried]
        shas = tuple(dict.fromkeys([*by_text, *beside, *between]))[:_JUDGED]
        found = store.changes(upstream, ChangeFilter(shas=shas, off_line=None)) if shas else []
        return [one for one in found if any(file.role.is_shipped for file in one.diff.files)]


def find_suspects(
    symptom: Symptom,
    pins: Sequence[Pinned],
    goods: Mapping[str, ResolvedPin],
    finder: SuspectFinder,
) -> tuple[Item, ...]:
    """The suspects of every pin that has a last good position (by pin name), likeliest first."""
    found: list[Item] = []
    for standing in resolved(pins):
        one, pin, _ = standing
        if one.name in goods:
            found += finder.find(symptom, standing, goods[one.name], tree_of(one, pin, symptom))
    found.sort(key=lambda item: -(item.score or 0.0))
    return tuple(found[: finder.limit])


def count_suspected(pins: Sequence[Pinned], goods: Mapping[str, ResolvedPin]) -> int:
    """How many changes lie between the last good positions and the pins."""
    return sum(
        pin.position - goods[one.name].position
        for one, pin, _ in resolved(pins)
        if one.name in goods
    )


def find_last_good(
    pins: Sequence[Pinned], refs: Mapping[str, str], store: Store
) -> dict[str, ResolvedPin]:
    """What ``--last-good`` names, by pin name; the ref under ``""`` is looked for everywhere.

    Raises RangeError for a ref that no upstream knows.
    """
    found: dict[str, ResolvedPin] = {}
    failed: RangeError | None = None
    for one, _, _ in resolved(pins):
        ref = refs.get(one.name, refs.get(""))
        if ref is None:
            continue
        moves = Moves(at={one.name: ref}, as_of={})
        try:
            good = find_pinned(one.setting, None, one.followed, store, moves).pin
        except RangeError as error:
            failed = RangeError(error.what, where="--last-good", mend=error.mend)
            if one.name in refs:
                raise failed from error
            continue
        if isinstance(good, ResolvedPin):
            found[one.name] = good
    if failed is not None and not found:
        raise failed
    return found


def neutral_rank(weights: RankWeights) -> RankWeights:
    """The ranker's numbers without what speaks for mends."""
    features = {name: value for name, value in weights.features.items() if name not in _OF_KIND}
    return replace(weights, kinds={}, features=features)


def neutral_usage(weights: UsageWeights) -> UsageWeights:
    """The rules' numbers without what speaks for mends."""
    signals = {
        name: value
        for name, value in weights.signals.items()
        if not name.startswith("kind_") and name not in _OF_MENDS
    }
    return replace(weights, signals=signals)


def _judgement(affected: Affected, ranked: Ranked | None) -> Judgement:
    """The reasons of both added up."""
    told = () if ranked is None else ranked.evidence
    evidence = sorted((*told, *affected.evidence), key=lambda one: -abs(one.weight))
    return Judgement(
        score=logistic(affected.logit + (0.0 if ranked is None else ranked.total)),
        constant=affected.constant,
        evidence=tuple(evidence),
    )
