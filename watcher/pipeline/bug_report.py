"""The use case ``bug-report``: what upstream will ask for, gathered instead of asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from watcher.errors import MirrorError, RangeError, UsageError
from watcher.facts.change import BEFORE_RANGE
from watcher.facts.item import Item
from watcher.facts.kind import Kind, State
from watcher.facts.pin import ResolvedPin
from watcher.facts.symptom import Symptom
from watcher.pins.records import normalise
from watcher.pipeline.check import tree_of
from watcher.pipeline.installed import active_prefixes, site_directories
from watcher.pipeline.machine import (
    Machine,
    device_rows,
    has_devices,
    package_rows,
    system_rows,
)
from watcher.pipeline.pinned import Pinned, resolved
from watcher.pipeline.search import SearchTools, Window, search
from watcher.pipeline.user import User
from watcher.pipeline.user_files import gather_inputs
from watcher.ports.files import Files
from watcher.report.answer import Answer, PinStatus
from watcher.report.bug_report import LOG_LIMIT, BugReport, Similar, missing_parts
from watcher.report.issue_form import FOLDER, GENERAL_FORM, IssueForm, choose_form, is_template
from watcher.report.log_excerpt import KeptLog
from watcher.report.redact import Private, secret_values
from watcher.report.words import day
from watcher.settings import Settings
from watcher.symptom.frames import installed_package

_SCRIPTS: Final = frozenset({".sh", ".bash", ".slurm", ".sbatch"})
_MOST_SCRIPTS: Final = 3
_MOST_SIMILAR: Final = 4
_SUMMARY: Final = 200


class Reporter(Struct, frozen=True, kw_only=True):
    """Gathers bug reports for one user on one machine."""

    files: Files
    settings: Settings
    environment: Mapping[str, str]
    machine: Machine
    user: User
    tools: SearchTools

    def gather(self, symptom: Symptom, log: KeptLog, one: Pinned, answer: Answer) -> BugReport:
        """The report to one pin's upstream; ``answer`` is what ``check`` says to the symptom."""
        usage = self.user.usage
        own = [(item.key, item.value) for item in usage.settings if not item.is_default]
        stated = [pair for pair in symptom.config if not pair[0].isupper()]
        variables = [pair for pair in symptom.config if pair[0].isupper()]
        environment, has_driver = self._environment(symptom, answer)
        report = BugReport(
            upstream=one.followed.upstream,
            form=_form(one),
            summary=_summary(symptom),
            words=symptom.text,
            environment=tuple(environment),
            entry_points=usage.entry_points,
            settings=tuple(dict((*own, *stated)).items()),
            variables=tuple(dict((*usage.environment, *variables)).items()),
            scripts=tuple(self._scripts()),
            log=log.text(LOG_LIMIT),
            similar=(*self._issues(symptom, one), *_near(answer.items, one.name)),
            known=tuple(_known(answer)),
            private=self._private(),
        )
        packages = {name for name, _ in environment} | set(symptom.packages)
        missing = missing_parts(report, packages, has_driver=has_driver)
        if not isinstance(one.pin, ResolvedPin):
            missing.insert(0, f"the commit of {one.name}: {one.pin.reason} ({one.pin.mend})")
        return replace(report, missing=tuple(missing))

    def _environment(self, symptom: Symptom, answer: Answer) -> tuple[list[tuple[str, str]], bool]:
        prefixes = active_prefixes(self.files, self.settings.root, self.environment)
        sites = [site for prefix in prefixes for site in site_directories(self.files, prefix)]
        told = {normalise(name): version for name, version in symptom.versions}
        known = told | {normalise(name): version for name, version in self.user.usage.packages}
        pins = [
            (f"{pin.name} ({pin.upstream})", _version(pin))
            for pin in answer.pins
            if pin.sha is not None
        ]
        devices = device_rows(self.files, sites)
        system = system_rows(self.files, self.machine, sites)
        gpus = [] if self.user.usage.gpus is None else [("GPUs in use", str(self.user.usage.gpus))]
        rows = [*pins, *system, *devices, *gpus, *package_rows(known)]
        return rows, has_devices(devices)

    def _scripts(self) -> list[tuple[str, str]]:
        inputs = gather_inputs(self.files, self.settings)
        scripts = [one for one in inputs if PurePosixPath(one.path).suffix.lower() in _SCRIPTS]
        return [(one.path, one.text) for one in scripts[:_MOST_SCRIPTS]]

    def _private(self) -> Private:
        homes = (self.machine.home, self.environment.get("HOME", ""))
        return Private(
            secrets=secret_values(self.environment.items()),
            users=tuple(dict.fromkeys(filter(None, (self.machine.user, *map(_last, homes))))),
            hosts=(self.machine.host,),
            homes=tuple(dict.fromkeys(filter(None, homes))),
        )

    def _issues(self, symptom: Symptom, one: Pinned) -> list[Similar]:
        """Bug reports of the upstream that resemble the symptom, best first."""
        found = []
        for pinned, pin, horizon in resolved([one]):
            window = Window(
                after=BEFORE_RANGE - 1, until=horizon.position, tree=tree_of(pinned, pin, symptom)
            )
            result = search(pinned.followed, symptom, window, self.tools, with_issues=True)
            for ranked in result.ranked:
                issue = result.issues.get(ranked.key)
                if issue is not None and issue.is_bug and ranked.total > 0:
                    url = f"https://github.com/{issue.upstream}/issues/{issue.number}"
                    state = f"{issue.state.value} issue of {day(issue.opened_at)}"
                    name = f"#{issue.number}"
                    found.append(Similar(name=name, title=issue.title, url=url, state=state))
        return found[:_MOST_SIMILAR]


def choose_pin(pins: Sequence[Pinned], symptom: Symptom, name: str | None) -> Pinned:
    """The pin to report to: the one named, or the package where the traceback ends.

    Raises UsageError when nothing is pinned.
    """
    if not pins:
        mend = "add a [[pins]] entry to watcher.toml, or run `watcher init`"
        raise UsageError("nothing is pinned", where="bug-report", mend=mend)
    if name is not None:
        return next(one for one in pins if one.name == name)
    modules = {one.followed.profile.module: one for one in reversed(pins)}
    for frame in reversed(symptom.frames):
        parts = [installed_package(frame.path) or "", *reversed(frame.path.split("/")[:-1])]
        for part in parts:
            if part in modules:
                return modules[part]
    return next((modules[name] for name in symptom.packages if name in modules), pins[0])


def _form(one: Pinned) -> IssueForm:
    """The upstream's own form at the pin; the general one when the mirror cannot tell."""
    if not isinstance(one.pin, ResolvedPin):
        return GENERAL_FORM
    mirror, sha = one.followed.mirror, one.pin.sha
    try:
        paths = [path for path in mirror.files(sha, under=FOLDER) if is_template(path)]
        texts = dict(mirror.blobs(sha, paths)) if paths else {}
    except (MirrorError, RangeError):
        return GENERAL_FORM
    return choose_form({path: text.decode("utf-8", "replace") for path, text in texts.items()})


def _summary(symptom: Symptom) -> str:
    lines = (*symptom.errors[-1:], *symptom.text.splitlines()[:1], *symptom.followers[:1])
    return lines[0].strip()[:_SUMMARY] if lines else ""


def _near(items: Iterable[Item], pin: str) -> list[Similar]:
    """The changes that come nearest, as ``check`` ranks them."""
    return [
        Similar(
            name=f"#{item.number}" if item.number is not None else (item.sha or "")[:9],
            title=item.title,
            url=item.url,
            state=f"landed {day(item.merged_at)}",
        )
        for item in items
        if item.pin == pin and item.state is State.MERGED and item.url
    ][:_MOST_SIMILAR]


def _known(answer: Answer) -> Iterable[str]:
    """What should be tried before a report is sent."""
    for item in answer.items:
        if item.kind is Kind.ADVISORY:
            remedy = dict(item.extra).get("remedy", "")
            yield f"a local cause: {item.title}. {remedy}"
    best = next((item for item in answer.items if item.kind is not Kind.ADVISORY), None)
    if best is not None and not answer.no_match:
        yield f"a change that may mend it: {best.id} {best.title} (`watcher show {best.id}`)"


def _last(path: str) -> str:
    return Path(path).name


def _version(pin: PinStatus) -> str:
    """A pin as it is written and as a commit, once where both are the same."""
    return str(pin.sha) if pin.ref == pin.sha else f"{pin.ref}, commit {pin.sha}"
