"""What an upgrade brings and costs, suspects since the last good commit, pins that bind."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.builders import GitRepo, paste
from tests.stories import Project
from watcher.cli.main import run
from watcher.errors import UsageError
from watcher.facts.item import Tier
from watcher.facts.kind import Kind
from watcher.facts.presence import Presence
from watcher.pipeline.pinned import NO_MOVES, Moves
from watcher.report.routes import Place, patch_commands
from watcher.report.upgrade import TargetReport, Upgrade, advise
from watcher.symptom.parse import parse_symptom

CORE = "".join(f"value_{n} = {n}\n" for n in range(20))
USAGE = 'paths = ["engine/core.py", "engine/cache.py"]'
REQUIREMENTS = '[project]\nname = "trainer"\ndependencies = ["engine>=1.0,<1.1"]\n'


def core(*numbers: int) -> str:
    """The core file with some values mended."""
    return "".join(f"value_{n} = {n * (10 if n in numbers else 1)}\n" for n in range(20))


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """v1.0 has two bugs in the core; v1.1 mends one and brings a cache whose mend is in v1.2.

    The head is v1.2.
    """
    repo = GitRepo(tmp_path_factory.mktemp("upgrade") / "engine")
    repo.squash("feat: start", 1, {"engine/core.py": CORE})
    old = repo.squash("feat: a switch", 2, {"engine/switch.py": "ON = 1\n"})
    repo.tag("v1.0")
    repo.squash("fix: value two is wrong", 3, {"engine/core.py": core(2)})
    cache = "def keep(key, value):\n    table[key] = value\n    return value\n"
    repo.squash("feat: keep results without waiting", 4, {"engine/cache.py": cache})
    repo.tag("v1.1")
    repo.squash("fix: value nine is wrong", 5, {"engine/core.py": core(2, 9)})
    mended = cache.replace("= value", "= copy(value)")
    repo.squash("fix: kept results are overwritten", 6, {"engine/cache.py": mended})
    repo.squash("feat!: rename the last value", 7, {"engine/core.py": core(2, 9, 19)})
    repo.revert(old, f'Revert "feat: a switch (#2)" (#8)\n\nThis reverts commit {old}.\n')
    repo.tag("v1.2")
    return repo


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, upstream: GitRepo) -> Project:
    """Pins engine v1.0 and a trainer that wants it below 1.1."""
    trainer = GitRepo(tmp_path_factory.mktemp("trainer") / "trainer")
    trainer.squash("feat: start", 1, {"pyproject.toml": REQUIREMENTS, "trainer/run.py": "R = 1\n"})
    trainer.tag("v2.0")
    wanting = REQUIREMENTS.replace(">=1.0,<1.1", ">=1.1")
    trainer.squash("fix: use the new engine", 2, {"pyproject.toml": wanting})
    trainer.tag("v2.1")
    project = Project(tmp_path_factory.mktemp("upgrade-project"), upstream)
    more = f"""
[[pins]]
name = "trainer"
upstream = "acme/trainer"
ref = "v2.0"
git = "{trainer.path.as_uri()}"
api = "off"
"""
    project.configure("v1.0", usage=USAGE, more=more).sync()
    return project


@pytest.fixture(scope="module")
def upgrade(project: Project) -> Upgrade:
    return project.app.upgrade("engine", moves=NO_MOVES, limit=None)[1]


def target(upgrade: Upgrade, name: str) -> TargetReport:
    return next(one for one in upgrade.targets if one.name == name)


def test_later_tags_are_the_targets_and_the_head_when_it_is_none_of_them(
    upgrade: Upgrade, project: Project, upstream: GitRepo
) -> None:
    moves = Moves.parse((), (f"engine={upstream.sha('v1.2~1')}",), project.app.pin_names)
    earlier = project.app.upgrade("engine", moves=moves, limit=None)[1]

    assert [one.name for one in upgrade.targets] == ["v1.1", "v1.2"]
    assert [one.name for one in earlier.targets] == ["v1.1", "main"]


def test_each_target_says_which_likely_items_it_brings(upgrade: Upgrade) -> None:
    assert [one.id for one in target(upgrade, "v1.1").gained] == ["engine#3"]
    assert {one.id for one in target(upgrade, "v1.2").gained} >= {"engine#3", "engine#5"}


def test_a_bug_that_comes_with_a_target_and_is_mended_after_it_is_newly_caught(
    upgrade: Upgrade,
) -> None:
    caught = target(upgrade, "v1.1").caught

    assert [one.id for one in caught] == ["engine#6"]
    assert "v1.1" in caught[0].presence_detail
    assert target(upgrade, "v1.2").caught == ()


def test_the_smallest_target_holds_every_likely_item(upgrade: Upgrade) -> None:
    smallest = upgrade.smallest

    assert smallest is not None
    assert smallest.name == "v1.2"
    assert smallest.count_gained(Tier.LIKELY) == upgrade.likely


def test_reverts_of_what_the_pin_has_and_breaking_changes_are_the_price(upgrade: Upgrade) -> None:
    assert [one.id for one in target(upgrade, "v1.2").reverts] == ["engine#8"]
    assert [one.id for one in target(upgrade, "v1.2").breaking] == ["engine#7"]
    assert target(upgrade, "v1.1").reverts == target(upgrade, "v1.1").breaking == ()


def test_the_likely_fixes_can_be_picked_instead(
    upgrade: Upgrade, upstream: GitRepo, tmp_path: Path
) -> None:
    assert set(upgrade.picks.items) == {"engine#3", "engine#5"}
    checkout = upstream.copy(tmp_path / "checkout")
    checkout.git("checkout", "-q", "--detach", "v1.0")
    paste(upgrade.picks.commands[0], checkout)

    assert (checkout.path / "engine/core.py").read_text() == core(2, 9)


def test_an_installed_package_is_patched_and_not_picked_onto(
    upstream: GitRepo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = Project(tmp_path / "project", upstream).configure("v1.0", usage=USAGE)
    site = project.directory / ".venv/lib/python3.11/site-packages"
    project.write(f"{site}/engine/core.py", CORE).write(f"{site}/engine/__init__.py", "")
    project.write(f"{site}/engine-1.0.dist-info/METADATA", "Name: engine\nVersion: 1.0\n")
    config = project.directory / "watcher.toml"
    config.write_text(config.read_text().replace('ref = "v1.0"', 'source = "installed:engine"'))
    project.sync()

    upgrade = project.app.upgrade("engine", moves=NO_MOVES, limit=None)[1]

    assert upgrade.picks.as_patches
    assert upgrade.picks.items == ("engine#3", "engine#5")
    assert "patch the 2 fixes into the package instead" in advise(upgrade)
    for item, command in zip(upgrade.picks.items, upgrade.picks.commands, strict=True):
        assert command == f"watcher show {shlex.quote(item)} --patch | patch -p1 -d {site}"
        patch = project.app.patch(item, moves=NO_MOVES).text
        arguments = ["patch", "-p1", "-d", str(site)]
        subprocess.run(arguments, input=patch.encode(), check=True, capture_output=True)
    assert (site / "engine/core.py").read_text() == core(2, 9)
    assert run(["--config", str(config), "upgrade", "engine"]) == 0
    assert "git cherry-pick" not in capsys.readouterr().out


def test_a_package_whose_place_is_not_known_gets_one_file_of_patches() -> None:
    place = Place(remote="https://example.org/engine.git", package="engine")

    commands = patch_commands(["engine#3", "engine#5"], place)

    assert commands == (
        "watcher show 'engine#3' --patch > fix.patch",
        "watcher show 'engine#5' --patch >> fix.patch",
    )


def test_the_advice_names_target_price_and_picks(upgrade: Upgrade) -> None:
    advice = advise(upgrade)

    assert advice.startswith("v1.2 is the smallest target")
    assert "1 breaking change" in advice
    assert "cherry-pick the 2 fixes instead" in advice


def test_other_pins_bind_a_target(upgrade: Upgrade, project: Project) -> None:
    bound = target(upgrade, "v1.1").bound

    assert len(bound) == 1
    assert "engine 1.1 would leave the range of your pin trainer v2.0" in bound[0]
    assert "engine<1.1,>=1.0" in bound[0]


def test_a_target_binds_other_pins(project: Project) -> None:
    other = project.app.upgrade("trainer", moves=NO_MOVES, limit=None)[1]

    assert target(other, "v2.1").bound == (
        "trainer 2.1 requires engine>=1.1; your pin engine is 1.0",
    )


def test_json_holds_the_targets_beside_the_contract(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(project.directory / "watcher.toml")
    assert run(["--config", config, "upgrade", "engine", "--json", "--limit", "1"]) == 0
    document = json.loads(capsys.readouterr().out)

    assert document["command"] == "upgrade"
    assert [one["name"] for one in document["targets"]] == ["v1.1", "v1.2"]
    assert document["items"][0]["routes"]
    assert document["items"][0]["gained_in"] in {"v1.1", "v1.2"}
    assert dict(document["collapsed"])["beyond the limit"] >= 1


def test_text_tells_the_advice_first(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(project.directory / "watcher.toml")
    assert run(["--config", config, "upgrade", "engine"]) == 0

    assert capsys.readouterr().out.startswith("v1.2 is the smallest target")


def test_a_pin_at_the_head_has_nothing_to_upgrade_to(project: Project) -> None:
    moves = Moves.parse(["engine=v1.2"], (), project.app.pin_names)
    upgrade = project.app.upgrade("engine", moves=moves, limit=None)[1]

    assert upgrade.targets == ()
    assert "nothing to upgrade to" in advise(upgrade)


# --- suspects ---


def check(project: Project, words: str, good: str, at: str = "v1.2") -> list[str]:
    moves = Moves.parse([f"engine={at}"], (), project.app.pin_names)
    answer = project.app.check(parse_symptom(words, None), moves=moves, last_good={"engine": good})
    return [one.id for one in answer.suspects]


def test_what_the_symptom_touches_is_the_first_suspect_whatever_its_title(
    project: Project,
) -> None:
    moves = Moves.parse(["engine=v1.1"], (), project.app.pin_names)
    symptom = parse_symptom("kept results are garbage, cache", None)
    answer = project.app.check(symptom, moves=moves, last_good={"": "v1.0"})
    first = answer.suspects[0]

    assert (first.id, first.kind) == ("engine#4", Kind.FEATURE)
    assert first.presence is Presence.UNKNOWN
    assert "a suspect" in first.presence_detail
    assert first.tier is None


def test_suspects_lie_after_the_good_commit_and_in_the_pin(project: Project) -> None:
    found = check(project, "values are wrong", good="v1.1")

    assert set(found) == {"engine#5", "engine#6", "engine#7", "engine#8"}


def test_the_command_prints_suspects(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(project.directory / "watcher.toml")
    asked = ["check", "cache", "garbage", "--at", "engine=v1.1", "--last-good", "engine=v1.0"]
    assert run(["--config", config, *asked]) == 0

    told = capsys.readouterr().out
    assert told.index("Suspects") < told.index("engine#4")


def test_without_words_the_usage_alone_ranks(project: Project) -> None:
    assert check(project, "", good="v1.0")[-1] == "engine#8"


def test_a_last_good_commit_after_the_pin_is_refused(project: Project) -> None:
    with pytest.raises(UsageError, match="newer than your pin"):
        check(project, "values are wrong", good="v1.2", at="v1.1")
