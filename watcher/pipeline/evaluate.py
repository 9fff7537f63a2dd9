"""The use case ``evaluate``: the ranker, the verdicts and the list, measured on recorded cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.item import Tier
from watcher.facts.pin import ResolvedPin
from watcher.facts.presence import Presence, Verdict
from watcher.matching.evaluate import (
    Case,
    Outcome,
    is_expected,
    parse_cases,
    plain_bm25,
    readable_name,
    summarize,
    symptom_of,
)
from watcher.matching.evaluate_usage import (
    UsageCase,
    UsageOutcome,
    outcome_of,
    parse_usage_cases,
    summarize_usage,
)
from watcher.pipeline.assess import Assessor
from watcher.pipeline.case_pins import CasePins, refuse_empty
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.pin_state import PinState
from watcher.pipeline.pinned import Pinned
from watcher.pipeline.search import SearchTools, Window, search
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.progress import Progress
from watcher.ports.store import Store
from watcher.presence.contained import Carried, CarriedCommit, find_contained
from watcher.presence.evaluate import PresenceCase, tabulate
from watcher.presence.evaluate import parse_cases as parse_presence_cases
from watcher.presence.landed import landed_line
from watcher.presence.verdict import PinView, judge
from watcher.symptom.frames import PathIndex

_FILES = frozenset({Part.FILES})


class Evaluator(Struct, frozen=True, kw_only=True):
    """Measures on cases against what is synced. Raises RangeError for a case outside it."""

    store: Store
    tools: SearchTools
    pins: CasePins
    progress: Progress

    def incidents(
        self, text: str, mode: str, *, where: str, with_baseline: bool = False
    ) -> dict[str, object]:
        """``n``, ``mrr``, ``recall`` and ``misses``; the same of plain BM25 beside it if asked."""
        cases = parse_cases(text, where=where)
        refuse_empty(cases, where)
        outcomes: list[Outcome] = []
        baseline: list[Outcome] = []
        for done, case in enumerate(cases, 1):
            self.progress.step("incidents", done, len(cases))
            pinned, pin, horizon = self.pins.find(case.id, case.upstream, case.pin, case.as_of)
            symptom = symptom_of(case, mode)
            if symptom is None:
                continue
            window = self._window(pin, horizon, _FILES)
            by_sha = {change.sha: change for change in window}
            outcomes.append(_outcome(case, self._ranked(case, mode, pinned, pin, horizon), by_sha))
            if with_baseline:
                baseline.append(_outcome(case, plain_bm25(case, mode, window), by_sha))
        told = {"mode": mode, **summarize(outcomes)}
        return told | ({"baseline": summarize(baseline)} if with_baseline else {})

    def _ranked(
        self, case: Case, mode: str, pinned: Pinned, pin: ResolvedPin, horizon: Horizon
    ) -> list[str]:
        symptom = symptom_of(case, mode)
        if symptom is None:
            return []
        tree = PathIndex(pinned.followed.mirror.files(pin.sha))

        def judge_all(changes: Sequence[Change]) -> Mapping[str, Verdict]:
            links = self.store.links(pin.upstream, [change.sha for change in changes])
            return PinState(self.store, pin, horizon, {}, links).verdicts(changes)

        window = Window(after=pin.position, until=horizon.position, tree=tree)
        found = search(pinned.followed, symptom, window, self.tools, judge=judge_all)
        return [ranked.key for ranked in found.ranked]

    def _window(self, pin: ResolvedPin, horizon: Horizon, parts: frozenset[Part]) -> list[Change]:
        which = ChangeFilter(after=pin.position, until=horizon.position, parts=parts)
        return self.store.changes(pin.upstream, which)

    def presence(self, text: str, *, where: str, code_only: bool) -> dict[str, object]:
        """Verdicts counted by group."""
        cases = parse_presence_cases(text, where=where)
        refuse_empty(cases, where)
        judged = []
        for done, case in enumerate(cases, 1):
            self.progress.step("pairs", done, len(cases))
            judged.append((case, self._presence_of(case, code_only=code_only)))
        return dict(tabulate(judged).document())

    def _presence_of(self, case: PresenceCase, *, code_only: bool) -> Presence:
        name = f"{case.fix[:9]} at {case.pin[:9]}"
        pinned, pin, horizon = self.pins.find(name, case.upstream, case.pin, None)
        which = ChangeFilter(
            shas=(case.fix,), off_line=None, parts=frozenset({Part.FILES, Part.ORIGINS})
        )
        found = self.store.changes(pin.upstream, which)
        if not found:
            self.pins.find(name, case.upstream, case.fix, None)
            return Presence.UNKNOWN
        change = found[0]
        mirror = pinned.followed.mirror
        contained = None
        if pin.carried:
            raws = mirror.messages(pin.fork_point, pin.sha, first_parent=False)
            ids = mirror.patch_ids(pin.carried)
            commits = [CarriedCommit(raw.sha, raw.message, ids.get(raw.sha)) for raw in raws]
            contained = find_contained(change, Carried(commits), mirror.patch_ids([change.sha]))
        links = None if code_only else self.store.links(pin.upstream, [change.sha]).get(change.sha)
        named = (*links.reverts, *links.named_origins) if links is not None else ()
        origins = ChangeFilter(shas=tuple(named), off_line=None, parts=frozenset())
        known = self.store.changes(pin.upstream, origins) if named else []
        view = PinView(pin.position, horizon.position, code_only=code_only)
        return judge(change, links, view, landed_line([change, *known]), contained).presence

    def usage(
        self, text: str, *, where: str, assessor_for: Callable[[Pinned, UsageCase], Assessor]
    ) -> dict[str, object]:
        """``n``, ``recall``, ``likely_share`` and ``misses`` of the list without a symptom."""
        cases = parse_usage_cases(text, where=where)
        refuse_empty(cases, where)
        outcomes: list[UsageOutcome] = []
        for done, case in enumerate(cases, 1):
            self.progress.step("configurations", done, len(cases))
            pinned, pin, horizon = self.pins.find(case.id, case.upstream, case.pin, case.as_of)
            found = assessor_for(pinned, case).assess(pinned, pin, horizon)
            changes = {one.sha: one for one in self._window(pin, horizon, frozenset())}
            ordered = [
                (changes[each.item.sha], each.item.tier or Tier.UNLIKELY)
                for each in found
                if each.item.sha in changes
            ]
            outcomes.append(outcome_of(case, ordered))
        return summarize_usage(outcomes)


def _outcome(case: Case, keys: Sequence[str], changes: Mapping[str, Change]) -> Outcome:
    """Where the expected change stands; what was no candidate comes after all that were."""
    ranks = [at for at, key in enumerate(keys, 1) if is_expected(case, changes[key])]
    first = changes[keys[0]] if keys else None
    return Outcome(
        case=case.id,
        expected=" ".join(case.expected),
        rank=ranks[0] if ranks else None,
        first=readable_name(first),
    )
