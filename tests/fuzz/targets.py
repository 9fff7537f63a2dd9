"""Every parser as a function of bytes that may only return or raise one of our own errors.

The property tests and the atheris harness feed the same functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from tests.builders import raw_commit, shipped_profile, shipped_text
from tests.usage_reading import read_usage
from watcher.advisories.parse import parse_catalogue
from watcher.errors import WatcherError
from watcher.facts.issue import Issue
from watcher.history.diff import parse_log
from watcher.history.diff_facts import diff_facts
from watcher.history.github_json import (
    parse_closed_issues,
    parse_issue,
    parse_links,
    parse_words,
)
from watcher.history.issue_body import prose, read_body
from watcher.history.issues import read_issue
from watcher.history.mentions import find_mentions
from watcher.history.message import parse_message
from watcher.history.releases import parse_version
from watcher.history.titles import parse_title
from watcher.matching.tokens import tokenize
from watcher.pins.gitfiles import parse_gitmodules, parse_head, parse_packed_refs, parse_remotes
from watcher.pins.images import parse_image
from watcher.pins.lockfiles import parse_lock
from watcher.pins.requirements import parse_requirements
from watcher.pins.scripts import parse_script
from watcher.pins.upstream_requirements import parse_upstream_requirements
from watcher.pins.versions import read_git_ref, read_specifier, read_value, read_version
from watcher.pipeline.pinned import Moves
from watcher.pipeline.show import parse_item_name
from watcher.presence.lineage import Lineage
from watcher.presence.state import dump, load
from watcher.report.escape import fenced, markdown, one_line, plain, slack
from watcher.report.issue_form import parse_form
from watcher.report.redact import redact
from watcher.settings.parse import parse_settings
from watcher.symptom.parse import parse_symptom
from watcher.upstreams.load import parse_profile
from watcher.upstreams.profile import Profile
from watcher.usage.read import UsageInput
from watcher.web.markup import markdown_html, patch_view

Target = Callable[[bytes], None]
UPSTREAM = "acme/engine"
LONGEST_REFUSAL = 1_500
NOWHERE = MappingProxyType[str, str]({})


@cache
def profile() -> Profile:
    """A shipped profile."""
    return shipped_profile("verl")


def text_of(data: bytes) -> str:
    """Bytes as our readers decode them."""
    return data.decode("utf-8", "replace")


# --- the user's files ---


def settings_toml(data: bytes) -> None:
    for name in ("watcher.toml", "pyproject.toml"):
        origin = Path("/p", name)
        _ours(partial(parse_settings, text_of(data), origin=origin, environment=NOWHERE))


def profile_toml(data: bytes) -> None:
    _ours(lambda: parse_profile(text_of(data), common=shipped_text("common.toml")))


def advisory_toml(data: bytes) -> None:
    _ours(lambda: parse_catalogue(text_of(data), origin="own.toml"))


def usage_file(data: bytes) -> None:
    for name in ("run.sh", "run.yaml", "run.py", "run.sbatch"):
        read_usage([UsageInput(name, text_of(data))], [profile()])


def pin_file(data: bytes) -> None:
    text, dists = text_of(data), ["verl", "vllm"]
    parse_requirements(text, "requirements.txt")
    parse_script(text, "Dockerfile", dists)
    for name in ("uv.lock", "poetry.lock", "Pipfile.lock", "environment.yml", "pyproject.toml"):
        _ours(partial(parse_lock, text, name, dists))
    for read in (parse_gitmodules, parse_remotes, parse_head, parse_packed_refs):
        read(text)
    for name in ("setup.py", "requirements.txt", "pyproject.toml"):
        parse_upstream_requirements({name: text})


def version(data: bytes) -> None:
    text = text_of(data)
    for read in (parse_version, read_version, read_specifier, read_git_ref, read_value):
        read(text)
    parse_image(text)


# --- what is typed and pasted ---


def log(data: bytes) -> None:
    text = text_of(data)
    parse_symptom(text, None, text.split()[:20])
    parse_symptom("", text.splitlines(), ())


def item_name(data: bytes) -> None:
    _ours(lambda: parse_item_name(text_of(data)))
    _ours(lambda: Moves.parse([text_of(data)], [text_of(data)], ["verl", "vllm"]))


# --- upstream's text ---


def message(data: bytes) -> None:
    text = text_of(data)
    parse_message(raw_commit(text), profile(), frozenset())
    parse_title(text)
    find_mentions(text, (UPSTREAM,))
    tokenize(text)


def diff(data: bytes) -> None:
    lineage = Lineage()
    for at, commit in enumerate(parse_log([data.split(b"\n")])):
        diff_facts(commit, {})
        lineage.apply(commit, at)
    load(dump(lineage))


def lineage_state(data: bytes) -> None:
    _ours(lambda: load(data))


def github_json(data: bytes) -> None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    issue = parse_issue(value, UPSTREAM)
    if isinstance(issue, Issue):
        read_issue(issue, profile())
    for parse in (parse_words, parse_closed_issues, parse_links):
        parse(value, UPSTREAM)


def issue_body(data: bytes) -> None:
    read_body(text_of(data))
    prose(text_of(data), ())


def issue_form(data: bytes) -> None:
    for name in ("bug.yml", "bug.md"):
        parse_form(name, text_of(data))


# --- what is shown ---


def shown_text(data: bytes) -> None:
    text = text_of(data)
    for made in (plain(text), one_line(text), slack(text), markdown(text), fenced(text)):
        assert "\x1b" not in made
        assert "\u202e" not in made
    redact(text)


def shown_markup(data: bytes) -> None:
    made = markdown_html(text_of(data)).lower()
    assert "<script" not in made
    assert "<img" not in made
    assert 'href="javascript:' not in made
    patch_view(text_of(data))


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        target.__name__: target
        for target in (
            *(settings_toml, profile_toml, advisory_toml, usage_file, pin_file, version),
            *(log, item_name, message, diff, lineage_state, github_json),
            *(issue_body, issue_form, shown_text, shown_markup),
        )
    }
)


def _ours(parse: Callable[[], object]) -> None:
    """Run a parser that may refuse: in one line."""
    refusal = ""
    try:
        parse()
    except WatcherError as error:
        refusal = str(error)
    assert "\n" not in refusal, refusal
    assert len(refusal) < LONGEST_REFUSAL, refusal
