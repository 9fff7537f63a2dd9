"""The README is true: commands, options, settings, variables, statuses, the example's answer."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import click
import pytest
from msgspec.structs import fields

from tests.cli.test_transcripts import GOLDEN, steady
from watcher import errors
from watcher.advisories.parse import parse_catalogue
from watcher.cli.main import COMMANDS, cli
from watcher.settings import records
from watcher.settings.parse import parse_settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
TOML = [text for language, text in BLOCKS if language == "toml"]
OTHERS_OPTIONS = {"--upload-pack", "--profile", "--grep"}
"""Options of other programs that the README calls."""
WRITTEN = {
    records.StoreSettings: "store",
    records.PinSetting: "pins",
    records.UsageSettings: "usage",
    records.DigestSettings: "digest",
    records.ChannelSetting: "channels",
    records.ScheduleSettings: "schedule",
    records.WebSettings: "web",
    records.IgnoreSetting: "ignore",
}
"""Record -> the table it is written in."""
KEYS = {("channels", "kind"): "type", ("channels", "sender"): "from"}
"""Fields whose key has another name."""


def command(name: str) -> click.Command:
    found: click.Command = importlib.import_module(COMMANDS[name][0]).command
    return found


def option_names(found: click.Command) -> set[str]:
    """The long options of a command and of what is below it."""
    options = (one for one in found.params if isinstance(one, click.Option))
    names = {name for one in options for name in one.opts if name.startswith("--")}
    below = found.commands.values() if isinstance(found, click.Group) else ()
    return names.union(*(option_names(one) for one in below)) if below else names


def global_options() -> set[str]:
    return {name for one in cli.params for name in one.opts if name.startswith("--")}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_stand_in_the_readme(name: str) -> None:
    assert re.search(rf"^\| .*`{name}\b.*\|$", README, re.MULTILINE)
    missing = [
        one
        for one in sorted(option_names(command(name)) | global_options())
        if not re.search(rf"{one}\b(?!-)", README)
    ]
    assert missing == []


@pytest.mark.parametrize("text", [README, CHINESE], ids=["English", "Chinese"])
def test_the_readme_names_no_option_that_does_not_exist(text: str) -> None:
    real = global_options().union(*(option_names(command(name)) for name in COMMANDS))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))

    assert named - real - OTHERS_OPTIONS == set()


def test_commands_that_the_readme_runs_exist() -> None:
    runs = re.findall(r"^\$ watcher (\w[\w-]*)", README, re.MULTILINE)

    assert set(runs) <= set(COMMANDS)
    assert len(set(runs)) > 5


def table_text(table: str) -> str:
    """What stands below the headers of a table, or in the braces of an inline one."""
    inline = re.findall(rf"^{table} = \[(.*?)\]$", "".join(TOML), re.MULTILINE | re.DOTALL)
    headed = re.findall(
        rf"^\[{{1,2}}{table}\]{{1,2}}$(.*?)(?=^\[|\Z)", "".join(TOML), re.MULTILINE | re.DOTALL
    )
    return "\n".join([*headed, *inline])


@pytest.mark.parametrize(
    ("table", "key"),
    [
        (table, KEYS.get((table, one.name), one.name))
        for record, table in WRITTEN.items()
        for one in fields(record)
    ],
)
def test_every_setting_stands_in_the_readme(table: str, key: str) -> None:
    key_of_it = re.compile(rf"(?:^(?:# )?|[{{,] ){key} = ", re.MULTILINE)

    assert key_of_it.search(table_text(table)) or f"`{table}.{key}`" in README


@pytest.mark.parametrize(
    "text", [one for one in TOML if re.match(r"(?:# watcher\.toml\n)?\[(?!mcp|\[)", one)]
)
def test_a_configuration_of_the_readme_is_taken_as_it_stands(text: str) -> None:
    settings = parse_settings(text, origin=Path("/home/ada/watcher.toml"), environment={})

    assert settings.pins or settings.digest.channels or settings.advisories


def test_the_advisory_of_the_readme_is_taken_as_it_stands() -> None:
    [text] = [one for one in TOML if "[[advisory]]" in one]

    [advisory] = parse_catalogue(text, origin="advisories/ours.toml")

    assert advisory.slug == "our-proxy"


def test_every_variable_of_the_environment_stands_in_the_readme() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "watcher").rglob("*.py"))
    read = set(re.findall(r'"(WATCHER_[A-Z_]+|GITHUB_TOKEN)"', code))

    assert len(read) > 4
    assert [name for name in sorted(read) if f"`{name}" not in README] == []


def test_every_exit_status_stands_in_the_readme() -> None:
    [sentence] = re.findall(r"Exit status: ([^.]+)\.", README)
    statuses = {
        one.exit_status
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.WatcherError)
    }

    assert {int(one) for one in re.findall(r"\b\d\b", sentence)} == statuses | {0, 3}


def test_the_answer_in_the_readme_is_what_the_example_answers() -> None:
    [told] = [text for _, text in BLOCKS if text.startswith("$ watcher check")]
    demo = (GOLDEN / "demo.txt").read_text(encoding="utf-8")
    [shown] = re.findall(r"^(\$ watcher check .*?\n)\n\$ watcher", demo, re.MULTILINE | re.DOTALL)

    assert steady(told) == shown


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    assert set(re.findall(r"(?:`|\$ )make ([a-z-]+)", README)) <= targets


def outline(text: str) -> list[str]:
    """The levels of the headings."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^(#+) ", prose, re.MULTILINE)


def code_of(text: str) -> list[str]:
    """Fenced blocks without their comments, blanks run together."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    bare = (
        re.sub(r"(?:^|[ \t]+)(?:#(?![0-9])|//) .*$", "", one, flags=re.MULTILINE) for one in blocks
    )
    return [" ".join(one.split()) for one in bare]


def test_the_chinese_readme_has_the_same_outline_and_the_same_code() -> None:
    assert outline(CHINESE) == outline(README)
    assert code_of(CHINESE) == code_of(README)
    assert "README.zh.md" in README
    assert "README.md" in CHINESE
