"""Strangers' words never steer a terminal, and never break JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.cli.conftest import Watcher
from tests.stories import Project

UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
"""What moves a cursor, rings, hides or turns text round; the newline and the tab are harmless."""
TITLES = {
    1: "[core] fix: \x1b[2J\x1b]0;owned\x07clear \x9b31m the screen",
    2: "[core] fix: [bold red]markup[/bold red] :smile: [link=http://x]here[/link]",
    3: "[core] fix: \u202egnp.exe\u202c \u200bhidden\u2066 rtl",
    4: "[core] fix: " + "very " * 4000 + "long",
    5: "[core] fix: bell \x07 back \x08\x08 return \r over | pipe <script>alert(1)</script>",
    6: "[core] fix: `code` **bold** ](http://evil) @everyone",
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("hostile")
    upstream = GitRepo(directory / "upstream")
    upstream.commit({"engine/a.py": "def a():\n    return 0\n"}, "first")
    upstream.tag("v1.0.0")
    for number, title in TITLES.items():
        body = f"Mends \x1b[31mred\x1b[0m \u202e {title}"
        files: dict[str, str | bytes | None] = {"engine/a.py": f"def a():\n    return {number}\n"}
        upstream.squash(title, number, files, body)
    message = b"[core] fix: not UTF-8 \xff\xfe \xe4 (#7)\n\n\xc3\x28 body"
    files = {"engine/a.py": b"# \xff\xfe\ndef a():\n    return 7\n"}
    upstream.commit(files, message)
    strange = b"engine/n\xe4me\xff\x1b[31m.py".decode("utf-8", "surrogateescape")
    upstream.squash("[core] fix: a strange path", 8, {strange: "def b():\n    return 1\n"})
    project = Project(directory / "project", upstream).configure("v1.0.0")
    project.sync()
    project.close()
    return project.directory / "watcher.toml"


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--all"),
        ("check", "red", "screen", "markup", "body"),
        ("check", "\x1b[31mred\x07", "\u202ebody"),
        *(("show", f"engine#{number}") for number in range(1, 9)),
        *(("show", f"engine#{number}", "--markdown") for number in (1, 3, 5, 8)),
        ("pins",),
        ("upgrade",),
        ("digest",),
    ],
    ids=ascii,
)
def test_nothing_printed_steers_the_terminal(
    watcher: Watcher, config: Path, arguments: tuple[str, ...]
) -> None:
    outcome = watcher("--config", config, *arguments)

    assert outcome.status == 0, outcome.err
    assert outcome.out
    told = outcome.out + outcome.err
    if "--markdown" in arguments:  # a zero-width space keeps names from being called there
        told = told.replace("\u200b", "")
    assert UNSAFE.findall(told) == []


def test_markup_of_titles_is_printed_as_it_is(watcher: Watcher, config: Path) -> None:
    out = watcher("--config", config, "list", "--all").out

    assert "[bold red]markup[/bold red] :smile:" in " ".join(out.split())


def test_every_hostile_change_is_there_once(watcher: Watcher, config: Path) -> None:
    outcome = watcher("--config", config, "list", "--all", "--json")
    items = json.loads(outcome.out)["items"]

    assert sorted(item["number"] for item in items) == list(range(1, 9))
    outcome.out.encode("utf-8")


def test_an_error_names_a_hostile_wish_safely(watcher: Watcher, config: Path) -> None:
    for wish in ("\x1b[2Jx#1", "engine#1\x07\n\nx", "\u202eengine#1"):
        outcome = watcher("--config", config, "show", wish)
        assert outcome.status == 2
        assert outcome.err.count("\n") == 1
        assert UNSAFE.findall(outcome.err) == []
