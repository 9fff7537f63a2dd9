"""Wires the application once, from the settings: the only place that knows adapters and store.

Nothing is opened before it is used, so a face pays only for what it asks.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from watcher.adapters.clock import SystemClock
from watcher.adapters.files import DiskFiles, data_directory, read_profile_text
from watcher.errors import StoreError
from watcher.pipeline.followed import FollowedUpstream
from watcher.settings import PinSetting, Settings, UsageSettings, locate_config, parse_settings
from watcher.upstreams.load import load_profile, parse_profile

if TYPE_CHECKING:
    from watcher.adapters.git import GitMirror
    from watcher.advisories.record import Advisory
    from watcher.digest.record import Digest, Scene
    from watcher.facts import Symptom, UnresolvedPin
    from watcher.matching.evaluate_usage import UsageCase
    from watcher.pipeline.advise import Adviser
    from watcher.pipeline.asking import Asking
    from watcher.pipeline.assess import Assessor, Weights
    from watcher.pipeline.board import Board
    from watcher.pipeline.carried import CarriedReader
    from watcher.pipeline.decided_item import ItemFinder
    from watcher.pipeline.decisions import Ruling, Wish
    from watcher.pipeline.evaluate import Evaluator
    from watcher.pipeline.init import InitResult
    from watcher.pipeline.listing import ListFilter
    from watcher.pipeline.machine import Machine
    from watcher.pipeline.memory import FindingsMemory
    from watcher.pipeline.morning import Morning
    from watcher.pipeline.patches import Patch
    from watcher.pipeline.pinned import Moves, Pinned
    from watcher.pipeline.route_finders import RouteFinders
    from watcher.pipeline.search import SearchTools
    from watcher.pipeline.sync import SyncResult
    from watcher.pipeline.sync_all import FailedSync, PinReading
    from watcher.pipeline.upstream_ways import Compose
    from watcher.pipeline.user import Asked, User
    from watcher.ports import Decision, GitHub, Outlet, Progress
    from watcher.report.answer import Answer, PinStatus
    from watcher.report.bug_report import BugReport
    from watcher.report.item_report import ItemReport
    from watcher.report.log_excerpt import KeptLog
    from watcher.report.upgrade import Upgrade
    from watcher.store.repository import SqlStore
    from watcher.upstreams.profile import Profile


class App:
    """The application: settings, clock, files, and one set of ports for each upstream."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self.settings = settings
        self.environment = environment
        self.clock = SystemClock()
        self.files = DiskFiles()
        self._followed: dict[str, FollowedUpstream] = {}

    # --- parts ---

    @cached_property
    def store(self) -> SqlStore:
        """The store, opened and brought up to date on first use. Raises StoreError."""
        from watcher.store.migrate import open_store

        return open_store(self.settings.store.url, data_directory("migrations"))

    @property
    def upstreams(self) -> list[str]:
        """Upstreams that are pinned, in the order of the configuration."""
        return list(dict.fromkeys(pin.upstream for pin in self.settings.pins))

    @property
    def pin_names(self) -> list[str]:
        """Names of the pins, in the order of the configuration."""
        return [pin.name for pin in self.settings.pins]

    def followed(self, upstream: str) -> FollowedUpstream:
        """The ports of one upstream."""
        if upstream not in self._followed:
            self._followed[upstream] = self._follow(upstream)
        return self._followed[upstream]

    def profile(self, upstream: str) -> Profile:
        """The profile of an upstream, with the user's overlay. Raises ConfigError."""
        return load_profile(upstream, read_profile_text, self.settings.profiles)

    def pins_of(self, upstream: str) -> list[PinSetting]:
        """The pins of one upstream, in the order of the configuration."""
        return [pin for pin in self.settings.pins if pin.upstream == upstream]

    def mirror(self, upstream: str) -> GitMirror:
        """The mirror of an upstream."""
        from watcher.adapters.git import GitMirror

        return GitMirror(self._beside(upstream, ".git"), environment=self.environment)

    @cached_property
    def weights(self) -> Weights:
        """The numbers of the rules."""
        from watcher.matching.usage_weights import parse_usage_weights
        from watcher.matching.weights import parse_rank_weights
        from watcher.pipeline.assess import Weights

        text = package_text("matching/weights.toml")
        return Weights(
            usage=parse_usage_weights(text),
            rank=parse_rank_weights(text),
            digest=hashlib.sha256(text.encode()).hexdigest()[:16],
        )

    @cached_property
    def memory(self) -> FindingsMemory:
        """Findings kept decoded, for faces that answer many questions."""
        from watcher.pipeline.memory import FindingsMemory

        return FindingsMemory()

    @cached_property
    def carried(self) -> CarriedReader:
        """What reads which changes a pin carries."""
        from watcher.pipeline.carried import CarriedReader

        return CarriedReader(store=self.store, files=self.files, settings=self.settings)

    @cached_property
    def advisories(self) -> tuple[Advisory, ...]:
        """The catalogue with the user's own files. Raises ConfigError."""
        from watcher.adapters.catalogue import read_catalogue

        return read_catalogue(self.settings, self.files)

    def copy_store(self, target: Path) -> None:
        """Copy an SQLite store, also while others use it. Raises StoreError."""
        from sqlalchemy.engine import make_url

        from watcher.store.engine import database_file
        from watcher.store.migrate import copy_database

        file = database_file(make_url(self.settings.store.url))
        if file is None:
            raise StoreError("not an SQLite file", mend="use your database server's own backup")
        copy_database(file, target)

    @property
    def schema(self) -> str:
        """Revision of the store's schema that this watcher writes."""
        from watcher.store.migrate import HEAD_REVISION

        return HEAD_REVISION

    def close(self) -> None:
        """Close what was opened."""
        if "store" in self.__dict__:
            self.store.close()

    def github(self, pin: PinSetting) -> AbstractContextManager[GitHub] | None:
        """A session with the API of a pin, closed at the end; None where the API is off.

        Raises ConfigError for a token that is none.
        """
        if pin.api is None:
            return None
        from watcher.adapters.git.process import ask
        from watcher.adapters.github.auth import find_token
        from watcher.adapters.github.connect import connect
        from watcher.adapters.github.limits import Patience

        token = find_token(
            self.environment,
            lambda path: self.files.read(Path(path)),
            lambda: ask("gh", ["auth", "token"], self.environment),
        )
        return closing(connect(pin.api, token, Patience(self.clock, time.sleep)))

    # --- use cases ---

    def readings(self) -> list[PinReading]:
        """Every pin with what its source says now."""
        from watcher.pipeline.pin_sources import read_pin
        from watcher.pipeline.sync_all import PinReading

        found = []
        for pin in self.settings.pins:
            reading = read_pin(
                pin,
                self.settings,
                files=self.files,
                profile=self.profile(pin.upstream),
                environment=self.environment,
                prefixes=[Path(sys.prefix)],
            )
            found.append(PinReading(setting=pin, reading=reading))
        return found

    def sync(self, progress: Progress) -> list[SyncResult | FailedSync]:
        """Bring every upstream up to date."""
        from watcher.pipeline.sync_all import sync_all

        readings = self.readings()
        groups = {
            upstream: (
                self.followed(upstream),
                [one for one in readings if one.setting.upstream == upstream],
            )
            for upstream in self.upstreams
        }
        return sync_all(
            groups,
            self.store,
            token=self.settings.secrets.github_token,
            open_github=self.github,
            now=self.clock.now(),
            progress=progress,
        )

    def pinned(self, moves: Moves | None = None, names: Sequence[str] = ()) -> list[Pinned]:
        """The pins (all, or those named) as far as they are known."""
        from watcher.pipeline.pinned import NO_MOVES, find_pinned

        return [
            find_pinned(
                one.setting,
                one.reading,
                self.followed(one.setting.upstream),
                self.store,
                moves or NO_MOVES,
            )
            for one in self.readings()
            if not names or one.setting.name in names
        ]

    def unresolved_pins(self) -> list[UnresolvedPin]:
        """The pins that stand for no commit, with their reasons."""
        from watcher.facts import UnresolvedPin

        return [one.pin for one in self.pinned() if isinstance(one.pin, UnresolvedPin)]

    def statuses(self, pins: Sequence[Pinned]) -> list[PinStatus]:
        """Where each pin stands."""
        from watcher.pipeline.statuses import pin_status

        now = self.clock.now()
        after = self.settings.schedule.stale_after
        return [
            pin_status(one, self.store, self.carried, now=now, stale_after=after) for one in pins
        ]

    def user(self, pins: Sequence[Pinned], asked: Asked | None = None) -> User:
        """What the user runs, as seen from some pins."""
        from watcher.pipeline.upstream_ways import WaysReader
        from watcher.pipeline.user import NOTHING_ASKED, UserReader

        reader = UserReader(
            files=self.files,
            settings=self.settings,
            environment=self.environment,
            store=self.store,
            ways=WaysReader(self.store, _composer),
        )
        return reader.read(pins, asked or NOTHING_ASKED)

    def assessor(self, pins: Sequence[Pinned], asked: Asked | None = None) -> Assessor:
        """What judges the changes of some pins."""
        from watcher.pipeline.assess import Assessor

        return Assessor(
            store=self.store,
            carried=self.carried,
            user=self.user(pins, asked),
            weights=self.weights,
            now=self.clock.now(),
            memory=self.memory,
        )

    def list(self, which: ListFilter, *, moves: Moves, names: Sequence[str] = ()) -> Answer:
        """What the pins lack."""
        from watcher.pipeline.issue_items import IssueBook
        from watcher.pipeline.listing import list_items
        from watcher.pipeline.pinned import resolved

        everything = self.pinned(moves)  # the usage is judged with all pins, or findings would flap
        pins = [one for one in everything if not names or one.name in names]
        statuses = self.statuses(pins)
        assessor = self.assessor(everything)
        hazards = self.adviser(pins, assessor).hazards()
        reports = [
            each
            for one, pin, at in resolved(pins)
            for each in IssueBook(assessor, one, pin, at).all()
        ]
        decided = self.standing(None if moves.at or moves.as_of else everything)
        which = replace(which, decided=decided)
        return list_items(
            pins, statuses, assessor, which, now=self.clock.now(), more=[*hazards, *reports]
        )

    def adviser(self, pins: Sequence[Pinned], assessor: Assessor) -> Adviser:
        """What tells local causes and hazards to the user whom an assessor knows."""
        from watcher.pipeline.advise import Adviser

        user, catalogue = assessor.user, self.advisories
        return Adviser(catalogue=catalogue, user=user, pins=pins, store=self.store)

    @cached_property
    def routes(self) -> RouteFinders:
        """What finds the ways to a fix."""
        from watcher.pipeline.route_finders import RouteFinders

        return RouteFinders(
            store=self.store,
            files=self.files,
            settings=self.settings,
            environment=self.environment,
            prefixes=(Path(sys.prefix),),
        )

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
            more=self.adviser(pins, assessor).hazards(),
            ignored={name: one.reason for name, one in decided.items() if one.is_ignored},
            before=before,
        )

    def changes_with(self, word: str) -> frozenset[str]:
        """Shas of the changes of all upstreams whose texts hold a word. Raises StoreError."""
        from watcher.pipeline.text_search import changes_with

        return changes_with(word, [self.followed(name).index for name in self.upstreams])

    def standing(self, pins: Sequence[Pinned] | None = None) -> dict[str, Ruling]:
        """What people decided about items and still holds, by item name. ``pins`` as configured."""
        from watcher.pipeline.decisions import standing_decisions

        if not self.settings.ignore and not self.store.decisions():
            return {}
        pins = self.pinned() if pins is None else pins
        return standing_decisions(self.store, self.settings, pins, self.clock.now())

    def rulings(self) -> dict[str, Ruling]:
        """The latest decision about each item, also those whose ground has ended."""
        from watcher.pipeline.decisions import rulings

        return rulings(self.store, self.settings, self.pinned(), self.clock.now())

    def past_rulings(self) -> Sequence[Ruling]:
        """Every decision ever made, oldest first."""
        from watcher.pipeline.decisions import history

        return history(self.store)

    def ignore(self, item: str, wish: Wish) -> Decision:
        """Put an item aside. Raises UsageError for an unknown item, no reason, or a past end."""
        from watcher.pipeline.decisions import put_aside

        found, pin = self._item_finder().find(item)
        return put_aside(self.store, found, pin, wish, self.clock.now())

    def acknowledge(self, item: str, wish: Wish) -> Decision:
        """Note that somebody deals with an item. Raises UsageError for an unknown one."""
        from watcher.pipeline.decisions import acknowledge

        found, _ = self._item_finder().find(item)
        return acknowledge(self.store, found, wish, self.clock.now())

    def unignore(self, item: str, by: str | None = None) -> None:
        """Take a decision back. Raises UsageError where there is none, or it is configured."""
        from watcher.pipeline.decisions import take_back

        rulings = self.rulings()
        name = item if item in rulings else self._item_finder().find(item)[0].id
        take_back(self.store, name, rulings.get(name), by, self.clock.now())

    @cached_property
    def outlets(self) -> Sequence[Outlet]:
        """Who gets the digest. Raises ConfigError when the installation lacks a template."""
        from watcher.adapters.outlets import make_outlets
        from watcher.adapters.templates import DigestTemplates

        return make_outlets(self.settings, DigestTemplates(template_directory("digest")))

    def scene(self) -> Scene:
        """The situation that a digest of today is made from."""
        from watcher.pipeline.scene import SceneSources, look

        pins, now = self.pinned(), self.clock.now()
        assessor = self.assessor(pins)
        sources = SceneSources(
            settings=self.settings,
            pins=pins,
            statuses=self.statuses(pins),
            assessor=assessor,
            hazards=self.adviser(pins, assessor).hazards(),
            rulings=self.rulings(),
            routes=self.routes,
        )
        return look(sources, now)

    def morning(self, *, is_asked: bool = False) -> Morning:
        """Queue what each channel is to be told, and send what is due; safe to repeat."""
        from watcher.pipeline.digest import LazyScene
        from watcher.pipeline.morning import MorningRound

        work = MorningRound(
            store=self.store,
            clock=self.clock,
            settings=self.settings.digest,
            outlets=self.outlets,
        )
        return work.run(LazyScene(self.scene), is_asked=is_asked)

    def preview_digest(self, channel: str | None) -> Digest | None:
        """The digest that a channel would get now (without a channel, a first one)."""
        from watcher.pipeline.digest import DigestDesk

        return DigestDesk(store=self.store, now=self.clock.now()).preview(channel, self.scene())

    def digest_html(self, digest: Digest) -> str:
        """A digest as its mail shows it."""
        from watcher.adapters.templates import DigestTemplates

        return DigestTemplates(template_directory("digest")).mail_html(digest)

    def _item_finder(self) -> ItemFinder:
        from watcher.pipeline.decided_item import ItemFinder

        return ItemFinder(store=self.store, pins=self.pinned(), advisories=self.advisories)

    @cached_property
    def search_tools(self) -> SearchTools:
        """What searches for symptoms need."""
        from watcher.pipeline.search import SearchTools
        from watcher.symptom.lexicon import parse_lexicon

        lexicon = parse_lexicon(package_text("symptom/lexicon.toml"))
        return SearchTools(store=self.store, lexicon=lexicon, weights=self.weights.rank)

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

    def evaluator(self, progress: Progress) -> Evaluator:
        """What measures on recorded cases."""
        from watcher.pipeline.case_pins import CasePins, pins_by_upstream
        from watcher.pipeline.evaluate import Evaluator

        pins = {
            pin.upstream: (pin, self.followed(pin.upstream)) for pin in reversed(self.settings.pins)
        }
        return Evaluator(
            store=self.store,
            tools=self.search_tools,
            pins=CasePins(self.store, pins_by_upstream(pins)),
            progress=progress,
        )

    def assessor_of_case(self, pinned: Pinned, case: UsageCase) -> Assessor:
        """What judges for the configuration of a case alone, whatever this project runs."""
        from watcher.pipeline.user import Asked

        bare = App(replace(self.settings, usage=UsageSettings()), self.environment)
        bare.__dict__["store"] = self.store
        return bare.assessor([pinned], Asked(overrides=case.config))

    # --- details ---

    def _follow(self, upstream: str) -> FollowedUpstream:
        from watcher.adapters.index import Fts5Index
        from watcher.adapters.lineage_files import DirectoryLineageFiles

        return FollowedUpstream(
            upstream=upstream,
            profile=self.profile(upstream),
            mirror=self.mirror(upstream),
            index=Fts5Index(self._beside(upstream, ".index")),
            lineage=DirectoryLineageFiles(self._beside(upstream, ".lineage")),
            paths=self.pins_of(upstream)[0].paths,
        )

    def _beside(self, upstream: str, suffix: str) -> Path:
        return self.settings.store.mirrors / (upstream.replace("/", "+") + suffix)


def open_app(config: Path | None, *, environment: Mapping[str, str] | None = None) -> App:
    """The application of a configuration file (``--config``), or of the nearest one.

    Raises ConfigError.
    """
    variables = dict(os.environ) if environment is None else dict(environment)
    files = DiskFiles()
    origin = locate_config(config, start=Path.cwd(), environment=variables, read=files.read)
    text = files.read(origin) or ""
    settings = parse_settings(text, origin=origin, environment=variables, read=files.read)
    return App(settings, variables)


def detect_project(root: Path, environment: Mapping[str, str]) -> InitResult:
    """What a project pins and runs, found in its files."""
    from watcher.pipeline.init import detect

    index = tomllib.loads(read_profile_text("index.toml"))
    common = read_profile_text("common.toml")
    profiles = [
        parse_profile(read_profile_text(f"{name}.toml"), common=common)
        for name in sorted(set(index["profiles"].values()))
    ]
    return detect(
        DiskFiles(), root, profiles=profiles, environment=environment, prefixes=[Path(sys.prefix)]
    )


def build_example(directory: Path, stream: bytes, environment: Mapping[str, str]) -> None:
    """A bare repository from a fast-import stream. Raises MirrorError."""
    from watcher.adapters.git.example import build_repository

    build_repository(directory, stream, environment)


def this_machine() -> Machine:
    """What the operating system says about this machine and its user."""
    import getpass
    import platform

    from watcher.pipeline.machine import Machine

    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    return Machine(
        system=platform.platform(),
        python=platform.python_version(),
        host=platform.node(),
        user=user,
        home=str(Path.home()),
    )


def template_directory(name: str) -> Path:
    """Directory of shipped templates, ``web`` or ``digest``. Raises ConfigError."""
    return data_directory("templates") / name


def git_version(environment: Mapping[str, str]) -> tuple[int, ...]:
    """Version of the git binary. Raises MirrorError when there is none."""
    from watcher.adapters.git.process import Git

    git = Git(directory=Path(), environment=environment)
    words = git.run(["version"]).output.decode("utf-8", "replace").split()
    numbers = words[2].split(".")[:3] if len(words) > 2 else []
    return tuple(int(part) for part in numbers if part.isdigit())


def package_text(name: str) -> str:
    """Text of a data file inside the package (``matching/weights.toml``)."""
    return resources.files("watcher").joinpath(name).read_text("utf-8")


def _composer() -> Compose:
    from watcher.adapters.hydra_compose import compose

    return compose
