"""Exit status and error lines: 0 done, 1 failed, 2 usage or configuration, 3 found."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.conftest import Watcher, standing_in
from tests.stories import Project, one_fix_behind


@pytest.mark.parametrize(
    ("arguments", "what", "mend"),
    [
        (("list", "--pin", "nope"), "no pin is named `nope`", "the pins are rltrain"),
        (("list", "--at", "nope=v1.0.0"), "no pin is named `nope`", "the pins are rltrain"),
        (("list", "--at", "rltrain=v9"), "is mirrored", "v1."),
        (("list", "--at", "rltrain=--upload-pack=x"), "rltrain=", "("),
        (("list", "--as-of", "1999-01-01"), "older than what is mirrored", "earlier `since`"),
        (("list", "--as-of", "nonsense"), "no ref of example/rltrain", "write a sha, tag or date"),
        (("list", "--as-of", "2026-13-45"), "2026-13-45", "("),
        (("show", "rltrain#424242"), "not among the mirrored changes", "watcher list --all"),
        (("show", "rltrain"), "not an item name", "PIN#NUMBER"),
        (("show", "other#1"), "other", "("),
        (("show", "advisory:no-such"), "no such advisory", "watcher list --kind advisory"),
        (("check",), "nothing to look for", "--log FILE"),
        (("check", "--log", "/nonexistent/x.log"), "cannot be read", "name a readable file"),
        (("check", "--log", "/"), "cannot be read", "name a readable file"),
        (("check", "nan", "--usage-config", "/nonexistent.yaml"), "nonexistent.yaml", "("),
        (("check", "nan", "--last-good", "v0.0.1"), "v0.0.1", "("),
        (("upgrade", "nope"), "no pin is named `nope`", "the pins are rltrain"),
        (("ignore", "rltrain#424242", "--reason", "x"), "rltrain#424242", "("),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_wrong_wish_is_one_line_with_its_mend(
    on_example: Watcher, arguments: tuple[str, ...], what: str, mend: str
) -> None:
    outcome = on_example(*arguments)

    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("watcher: ")
    assert what in outcome.err
    assert mend in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [("bogus",), ("list", "--tier", "sure"), ("list", "--limit", "0"), ("list", "--bogus")],
)
def test_a_wrong_command_line_is_usage(on_example: Watcher, arguments: tuple[str, ...]) -> None:
    outcome = on_example(*arguments)

    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.startswith("watcher: ")
    assert outcome.err.count("\n") == 1
    assert "--help`)" in outcome.err


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[[pins]\n", "not valid TOML"),
        ("\x00", "not valid TOML"),
        ('[[pins]]\nname = "a"\nupstream = "acme/engine"\nref = "v1"\nbogus = 1\n', "bogus"),
        ('[[pins]]\nname = "a"\nupstream = "acme"\nref = "v1"\n', "upstream"),
        ('[[pins]]\nname = "a"\nupstream = "acme/engine"\nref = 3\n', "ref"),
        ('[[pins]]\nname = "a"\nupstream = "acme/engine"\nref = "--x"\n', "ref"),
        (
            '[[pins]]\nname = "a"\nupstream = "a/b"\nref = "v1"\ngit = "ext::sh -c id"\n',
            "pins.a.git",
        ),
        ('[[pins]]\nname = "a"\nupstream = "a/b"\nref = "v1"\n' * 2, 'name is "a"'),
        (
            '[store]\nurl = "nonsense"\n[[pins]]\nname = "a"\nupstream = "a/b"\nref = "v1"\n',
            "store.url",
        ),
        ('[schedule]\nstale_after = "soon"\n', "stale_after"),
    ],
)
def test_a_bad_configuration_is_one_line_that_names_file_and_key(
    watcher: Watcher, tmp_path: Path, text: str, what: str
) -> None:
    config = tmp_path / "watcher.toml"
    config.write_text(text)

    outcome = watcher("--config", config, "list")

    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert what in outcome.err
    assert "watcher.toml" in outcome.err


def test_no_configuration_names_init(watcher: Watcher, tmp_path: Path) -> None:
    with standing_in(tmp_path):
        outcome = watcher("list")

    assert outcome.status == 2
    assert "watcher init" in outcome.err


def test_found_at_or_above_a_tier_is_three_only_when_asked(on_example: Watcher) -> None:
    assert on_example("list").status == 0
    assert on_example("list", "--fail-on", "likely").status == 3
    assert on_example("list", "--fail-on", "likely", "--as-of", "v1.1.0").status == 0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return one_fix_behind(tmp_path)


def test_never_synced_is_never_nothing_found(watcher: Watcher, project: Project) -> None:
    config = ("--config", str(project.directory / "watcher.toml"))

    for command in (("list",), ("check", "step", "fails")):
        outcome = watcher(*config, *command)
        assert outcome.status == 1
        assert "never synced (run `watcher sync`)" in outcome.first
        assert "Nothing" not in outcome.out
    assert watcher(*config, "list", "--allow-stale").status == 0
    assert watcher(*config, "pins").status == 1


def test_an_old_sync_is_told_and_fails_unless_allowed(watcher: Watcher, project: Project) -> None:
    project.configure("v1.0.0", more='[schedule]\nstale_after = "1s"\n')
    project.sync()
    walk = project.app.store.walk(project.name)
    assert walk is not None
    old = replace(walk, synced_at=walk.synced_at - timedelta(days=300))
    project.app.store.save_walk(old, (), tuple, restart=False)
    project.close()
    config = ("--config", str(project.directory / "watcher.toml"))

    outcome = watcher(*config, "list", "--all", "--json")

    assert outcome.status == 1
    assert json.loads(outcome.out)["pins"][0]["stale"] is True
    assert len(json.loads(outcome.out)["items"]) == 1
    assert watcher(*config, "list", "--allow-stale").status == 0
    assert "run `watcher sync`" in watcher(*config, "list").out


def test_zero_changes_behind_is_a_valid_answer(watcher: Watcher, project: Project) -> None:
    project.upstream.tag("v1.1.0")
    project.configure("v1.1.0").sync()
    project.close()

    outcome = watcher("--config", project.directory / "watcher.toml", "list")

    assert outcome.status == 0
    assert outcome.first == "Nothing to show."


def test_one_unresolved_pin_is_told_the_others_go_on_and_the_end_is_one(
    watcher: Watcher, project: Project
) -> None:
    more = f"""[[pins]]
name = "lost"
upstream = "acme/engine"
ref = "v7.7.7"
git = "{project.upstream.url}"
api = "off"
"""
    project.configure("v1.0.0", more=more)
    config = ("--config", str(project.directory / "watcher.toml"))

    synced = watcher(*config, "sync")
    listed = watcher(*config, "list", "--all")

    assert (synced.status, listed.status) == (1, 1)
    assert "v7.7.7" in synced.err
    assert "engine#1" in listed.out
    assert "v7.7.7" in listed.out


def test_quiet_prints_results_only(watcher: Watcher, project: Project) -> None:
    outcome = watcher("--quiet", "--config", project.directory / "watcher.toml", "sync")

    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("acme/engine: 2 new changes")


def test_a_missing_git_is_one_line(
    watcher: Watcher, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")

    outcome = watcher("--config", project.directory / "watcher.toml", "sync")

    assert outcome.status == 1
    assert "git is not installed (install git" in outcome.err.splitlines()[0]


def test_an_unreachable_remote_is_one_line_and_what_is_known_stays(
    watcher: Watcher, project: Project
) -> None:
    config = ("--config", str(project.directory / "watcher.toml"))
    watcher(*config, "sync")
    project.upstream.path.rename(project.upstream.path.with_name("gone"))

    outcome = watcher(*config, "sync")

    assert outcome.status == 1
    assert outcome.err.startswith("acme/engine: file://")
    assert len(outcome.err.splitlines()) == 1
    assert "engine#1" in watcher(*config, "list", "--all").out
