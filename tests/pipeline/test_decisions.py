"""The life of an item: put aside with a reason, back when its ground ends, history kept."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.stories import Project
from watcher.errors import UsageError
from watcher.pipeline.decisions import Wish, parse_until
from watcher.report.answer import Answer

ENGINE = "def train(batch):\n    return step(batch)\n"


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """Two releases; #2 is mended before the second, #3 after it, as a commit without a number."""
    repo = GitRepo(tmp_path_factory.mktemp("upstream") / "repo")
    repo.commit({"engine/core.py": ENGINE, "engine/io.py": ENGINE}, "feat: train (#1)")
    repo.git("tag", "v1.0.0")
    repo.commit({"engine/core.py": ENGINE.replace("step", "mend")}, "fix: wrong step (#2)")
    repo.git("tag", "v1.1.0")
    repo.commit({"engine/io.py": ENGINE.replace("step", "sync")}, "fix: lost batch (#3)")
    later = ENGINE.replace("step", "mend").replace("batch):", "batch=()):")
    repo.commit({"engine/core.py": later}, "fix: training without a batch fails")
    return repo


@pytest.fixture
def project(tmp_path: Path, upstream: GitRepo) -> Iterator[Project]:
    made = Project(tmp_path / "project", upstream)
    yield configured(made)
    made.close()


def configured(project: Project, more: str = "", ref: str = "v1.0.0") -> Project:
    usage = 'paths = ["engine/core.py", "engine/io.py"]'
    project.configure(ref, usage=usage, more=more)
    project.sync()
    return project


def shown(project: Project) -> tuple[set[str], int]:
    answer = project.list(everything=False)
    return {item.id for item in answer.items}, dict(answer.collapsed).get("ignored", 0)


def extra(answer: Answer, item: str) -> dict[str, str]:
    return next(dict(one.extra) for one in answer.items if one.id == item)


def test_an_ignored_item_is_counted_and_its_reason_told(project: Project) -> None:
    assert "engine#3" in shown(project)[0]

    project.app.ignore("engine#3", Wish(reason="we never\nread files", by="ada"))

    items, ignored = shown(project)
    answer = project.list(everything=True)
    assert "engine#3" not in items
    assert ignored == 1
    assert extra(answer, "engine#3")["decision_note"] == "ignored: we never read files (by ada)"
    assert project.list(everything=False).notes == (
        "engine#3 ignored: we never read files (by ada)",
    )


def test_a_decision_taken_back_stays_in_the_history(project: Project) -> None:
    project.app.ignore("engine#3", Wish(reason="not ours"))
    project.app.unignore("engine#3", "ben")

    assert shown(project)[1] == 0
    history = [(one.state, one.reason, one.by) for one in project.app.store.decisions()]
    assert history == [("ignored", "not ours", None), ("open", "", "ben")]
    with pytest.raises(UsageError, match="nobody decided"):
        project.app.unignore("engine#3")


def test_acknowledging_hides_nothing(project: Project) -> None:
    project.app.acknowledge("engine#3", Wish(reason="picked by hand"))

    items, ignored = shown(project)
    assert "engine#3" in items
    assert ignored == 0
    assert extra(project.list(), "engine#3")["decision"] == "acknowledged"


def test_an_item_ignored_until_the_pin_moves_comes_back_with_the_pin(project: Project) -> None:
    project.app.ignore("engine#3", Wish(reason="later", until="pin-moves"))
    assert shown(project)[1] == 1
    assert project.list(at=["engine=v1.1.0"], everything=False).collapsed != ()
    assert shown(project)[1] == 1

    configured(project, ref="v1.1.0")

    assert shown(project)[1] == 0
    assert project.app.rulings()["engine#3"].ended == "the pin moved to v1.1.0"


def test_an_item_ignored_until_released_comes_back_with_the_release(
    project: Project, upstream: GitRepo, tmp_path: Path
) -> None:
    project.upstream = upstream.copy(tmp_path / "later")
    configured(project).app.ignore("engine#3", Wish(reason="wait", until="released"))
    assert shown(project)[1] == 1

    project.upstream.git("tag", "v1.2.0")
    project.sync()

    assert shown(project)[1] == 0
    assert project.app.rulings()["engine#3"].ended == "v1.2.0 holds it"


def test_what_cannot_be_meant_is_refused(project: Project) -> None:
    ignore = project.app.ignore

    with pytest.raises(UsageError, match="a reason is needed"):
        ignore("engine#3", Wish(reason="  "))
    with pytest.raises(UsageError, match=r"v1\.1\.0 already"):
        ignore("engine#2", Wish(reason="x", until="released"))
    with pytest.raises(UsageError, match="nothing of this name"):
        ignore("engine#99", Wish(reason="x"))
    with pytest.raises(UsageError, match="no pin is named"):
        ignore("other#3", Wish(reason="x"))
    with pytest.raises(UsageError, match="no such advisory"):
        ignore("advisory:none", Wish(reason="x"))
    assert project.app.store.decisions() == []


def test_the_configuration_ignores_by_any_sha_and_is_changed_there_only(project: Project) -> None:
    sha = project.upstream.git("rev-parse", "HEAD")

    configured(project, f'[[ignore]]\nitem = "engine@{sha[:7]}"\nreason = "local"')

    name = f"engine@{sha[:9]}"
    assert shown(project) == (shown(project)[0] - {name}, 1)
    assert project.app.rulings()[name].by == "watcher.toml"
    with pytest.raises(UsageError, match="by the configuration"):
        project.app.unignore(name)


def test_an_ignore_of_the_configuration_until_the_pin_moves_ends_with_it(
    project: Project,
) -> None:
    entry = '[[ignore]]\nitem = "engine#3"\nreason = "later"\nuntil = "pin-moves"'
    configured(project, entry)
    assert shown(project)[1] == 1

    configured(project, entry, ref="v1.1.0")

    assert shown(project)[1] == 0


def test_an_ignore_until_a_past_day_has_ended(project: Project) -> None:
    configured(project, '[[ignore]]\nitem = "engine#3"\nreason = "x"\nuntil = "2020-01-01"')

    assert shown(project)[1] == 0
    assert "2020-01-01" in str(project.app.rulings()["engine#3"].ended)


@pytest.mark.parametrize(
    ("text", "end"),
    [(None, None), ("released", "released"), ("pin-moves", "pin-moves"), ("2027-01-02",) * 2],
)
def test_an_end_is_read(text: str | None, end: str | None) -> None:
    assert parse_until(text, date(2026, 5, 4)) == end


@pytest.mark.parametrize("text", ["2026-05-04", "2020-01-01", "soon", "2027-13-01"])
def test_an_end_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--until"):
        parse_until(text, date(2026, 5, 4))
