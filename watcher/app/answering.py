"""The use cases that answer: list, check, show, upgrade, bug reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from watcher.facts.symptom import Symptom
    from watcher.pipeline.asking import Asking
    from watcher.pipeline.assess import Assessor
    from watcher.pipeline.board import Board
    from watcher.pipeline.finding import Finding
    from watcher.pipeline.listing import ListFilter
    from watcher.pipeline.patches import Patch
    from watcher.pipeline.pinned import Moves, Pinned
    from watcher.pipeline.user import Asked
    from watcher.report.answer import Answer
    from watcher.report.bug_report import BugReport
    from watcher.report.item_report import ItemReport
    from watcher.report.log_excerpt import KeptLog
    from watcher.report.upgrade import Upgrade
from watcher.app.parts import this_machine
from watcher.app.pinning import Pinning


class Answering(Pinning):
    """Answers of the application, one use case each."""

    def _hazards_and_reports(self, pins: Sequence[Pinned], assessor: Assessor) -> list[Finding]:
        """What a list holds beside changes: advisories that are met, and bug reports."""
        from watcher.pipeline.issue_items import IssueBook
        from watcher.pipeline.pinned import resolved

        books = [IssueBook(assessor, one, pin, at) for one, pin, at in resolved(pins)]
        reports = [each for book in books for each in book.all()]
        return [*self.adviser(pins, assessor).hazards(), *reports]

    def list(self, which: ListFilter, *, moves: Moves, names: Sequence[str] = ()) -> Answer:
        """What the pins lack."""
        from watcher.pipeline.listing import list_items

        everything = self.pinned(moves)  # the usage is judged with all pins, or findings would flap
        pins = [one for one in everything if not names or one.name in names]
        statuses = self.statuses(pins)
        assessor = self.assessor(everything)
        decided = self.standing(None if moves.at or moves.as_of else everything)
        which = replace(which, decided=decided)
        more = self._hazards_and_reports(pins, assessor)
        return list_items(pins, statuses, assessor, which, now=self.clock.now(), more=more)

    def with_routes(self, answer: Answer, moves: Moves) -> Answer:
        """The answer with the routes of its items; picks are tried for the first few."""
        return self.routes.answer(answer, self.pinned(moves)) if answer.items else answer

    def upgrade(self, name: str, *, moves: Moves, limit: int | None) -> tuple[Answer, Upgrade]:
        """What moving a pin would bring and cost. Raises UsageError for a pin without a commit."""
        from watcher.pipeline.upgrade import upgrade_pin

        pins = self.pinned(moves)
        only = [one for one in pins if one.name == name]
        finder = self.routes.make(pins, [name]).get(name)
        statuses = self.statuses(only)
        return upgrade_pin(finder, self.assessor(pins), statuses, limit)

    def board(self, before: Board | None = None, moves: Moves | None = None) -> Board:
        """All items of all pins, for browsing; rows of ``before`` are taken over where true."""
        from watcher.pipeline.board import compose_board

        pins = self.pinned(moves)
        assessor = self.assessor(pins)
        decided = self.standing(None if moves is not None else pins)
        return compose_board(
            pins,
            self.statuses(pins),
            assessor,
            more=self._hazards_and_reports(pins, assessor),
            ignored={name: one.reason for name, one in decided.items() if one.is_ignored},
            before=before,
        )

    def changes_with(self, word: str) -> frozenset[str]:
        """Shas of the changes of all upstreams whose texts hold a word. Raises StoreError."""
        from watcher.pipeline.text_search import changes_with

        return changes_with(word, [self.followed(name).index for name in self.upstreams])

    def check(
        self,
        symptom: Symptom,
        *,
        moves: Moves,
        asked: Asked | None = None,
        limit: int | None = None,
        last_good: Mapping[str, str] | None = None,
    ) -> Answer:
        """Is this symptom known? ``last_good`` (ref by pin name, ``""`` for all) asks for suspects.

        Raises UsageError and RangeError.
        """
        from watcher.pipeline.check import DEFAULT_LIMIT, Checker
        from watcher.pipeline.decisions import annotated

        pins = self.pinned(moves)
        statuses = self.statuses(pins)
        assessor, limit = self.assessor(pins, asked), limit or DEFAULT_LIMIT
        checker = Checker(assessor=assessor, tools=self.search_tools, limit=limit)
        local = self.adviser(pins, assessor).recognise(symptom)
        answer = checker.check(symptom, pins, statuses, local=local, now=self.clock.now())
        answer = replace(answer, items=annotated(answer.items, self.standing()))
        if not last_good:
            return answer
        from watcher.pipeline.suspects import (
            SuspectFinder,
            count_suspected,
            find_last_good,
            find_suspects,
        )

        goods = find_last_good(pins, last_good, self.store)
        finder = SuspectFinder(assessor=assessor, tools=self.search_tools, limit=limit)
        return replace(
            answer,
            suspects=find_suspects(symptom, pins, goods, finder),
            searched_changes=answer.searched_changes + count_suspected(pins, goods),
        )

    def bug_report(
        self, symptom: Symptom, log: KeptLog, *, pin: str | None, asked: Asked
    ) -> BugReport:
        """What the upstream of a pin will ask for. Raises UsageError when nothing is pinned."""
        from watcher.pipeline.bug_report import Reporter, choose_pin
        from watcher.pipeline.pinned import NO_MOVES

        pins = self.pinned()
        one = choose_pin(pins, symptom, pin)
        reporter = Reporter(
            files=self.files,
            settings=self.settings,
            environment=self.environment,
            machine=this_machine(),
            user=self.user(pins, asked),
            tools=self.search_tools,
        )
        answer = self.check(symptom, moves=NO_MOVES, asked=asked)
        return reporter.gather(symptom, log, one, answer)

    def ask(self, asking: Asking) -> Answer:
        """The same for a symptom as typed and pasted. Raises UsageError and RangeError."""
        from watcher.pipeline.asking import symptom_of
        from watcher.pipeline.pinned import Moves, parse_refs
        from watcher.pipeline.user import Asked

        goods = [asking.last_good] if asking.last_good else []
        return self.check(
            symptom_of(asking),
            moves=Moves.parse(asking.at, asking.as_of, self.pin_names),
            asked=Asked(overrides=asking.overrides),
            limit=asking.limit,
            last_good=parse_refs(goods, "last good", self.pin_names),
        )

    def show(self, item: str, *, moves: Moves) -> tuple[Answer, ItemReport]:
        """The report of one item. Raises UsageError for what is not known."""
        from watcher.pipeline.show import parse_item_name, show_item
        from watcher.pipeline.show_issue import show_issue

        if item.startswith("advisory:"):
            return self._show_advisory(item, moves)
        name = parse_item_name(item)
        pins = self.pinned(moves)
        assessor = self.assessor(pins)
        told = show_issue(name, pins, assessor)
        if told is not None:
            return self._shown(told[1], [told[0]])
        finders = self.routes.make(pins, [name.pin])
        shown = show_item(name, pins, assessor, finders.get(name.pin))
        return self._shown(shown.report, [shown.pinned])

    def _show_advisory(self, item: str, moves: Moves) -> tuple[Answer, ItemReport]:
        pins = self.pinned(moves)
        return self._shown(self.adviser(pins, self.assessor(pins)).report(item), pins)

    def _shown(self, report: ItemReport, pins: Sequence[Pinned]) -> tuple[Answer, ItemReport]:
        from watcher.report.answer import Answer

        statuses, now = tuple(self.statuses(pins)), self.clock.now()
        answer = Answer(command="show", generated_at=now, pins=statuses, items=(report.item,))
        return answer, report

    def patch(self, item: str, *, moves: Moves) -> Patch:
        """A fix as it applies to the pin. Raises WatcherError when it does not."""
        from watcher.pipeline.patches import make_patch
        from watcher.pipeline.show import parse_item_name, show_item

        name = parse_item_name(item)
        pins = self.pinned(moves)
        shown = show_item(name, pins, self.assessor(pins))
        return make_patch(shown, self.routes.make(pins, [name.pin])[name.pin], self.store)
