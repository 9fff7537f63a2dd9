"""``watcher bug-report`` on a real project: nothing is asked that can be read, no secret leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import GitRepo, make_issue
from tests.stories import Project
from watcher.cli.main import run
from watcher.errors import UsageError
from watcher.matching.document import issue_document
from watcher.pipeline.bug_report import choose_pin
from watcher.symptom.parse import parse_symptom

FORM = """
title: "[Bug]: "
body:
  - type: textarea
    attributes: {label: "Your environment"}
  - type: textarea
    attributes: {label: "Describe the bug"}
"""
LOG = """\
(Worker pid=7, ip=10.1.2.3) Traceback (most recent call last):
(Worker pid=7)   File "/home/jane/engine/offload.py", line 2, in copy_to_cpu
RuntimeError: storage of the shard is not resident
export HF_TOKEN=hf_abcdefghijklmnopqrstuvwx
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    upstream = GitRepo(tmp_path_factory.mktemp("upstream") / "engine.git")
    code = "def copy_to_cpu(shard):\n    return shard.cpu()\n"
    form = ".github/ISSUE_TEMPLATE/bug.yml"
    upstream.commit({"engine/offload.py": code, form: FORM}, "Start (#1)")
    upstream.tag("v1.0")
    mended = code.replace("cpu()", "cpu(wait=True)")
    title = "fix: storage of the shard is not resident in copy_to_cpu (#2)"
    upstream.commit({"engine/offload.py": mended}, title)
    made = Project(tmp_path_factory.mktemp("mine"), upstream)
    made.write("run.sh", "python -m engine.train actor.strategy=fsdp2 --api-key letmeinplease\n")
    made.write("log.txt", LOG)
    made.configure("v1.0", usage='config = ["run.sh"]').sync()
    yield made
    made.close()


def report(
    project: Project, capsys: pytest.CaptureFixture[str], *arguments: str
) -> dict[str, object]:
    config = str(project.directory / "watcher.toml")
    log = str(project.directory / "log.txt")
    words = ("it", "breaks")
    status = run(["--config", config, "bug-report", "--json", "--log", log, *arguments, *words])
    assert status == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_commit_launch_settings_and_log_are_read(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    document = report(project, capsys, "--set", "actor.offload=true")
    text = str(document["text"])

    assert project.upstream.sha("v1.0") in text
    assert "python -m engine.train" in text
    assert "actor.strategy=fsdp2" in text
    assert "actor.offload=true" in text
    assert "RuntimeError: storage of the shard is not resident" in text
    assert "OS: " in text


def test_the_upstreams_own_form_is_filled(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    document = report(project, capsys)

    assert document["form"] == ".github/ISSUE_TEMPLATE/bug.yml"
    assert str(document["text"]).startswith("### Your environment")
    assert str(document["title"]).startswith("[Bug]: RuntimeError: storage of the shard")


def test_nothing_private_leaves(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.dumps(report(project, capsys))

    for private in ("jane", "10.1.2.3", "hf_abcdef", "letmeinplease"):
        assert private not in document


def test_what_is_missing_and_what_is_like_it_are_listed(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    issue = make_issue(5, title="Shard is not resident after copy_to_cpu, storage error")
    project.app.store.save_issues([issue])
    project.app.followed(issue.upstream).index.add([issue_document(issue)])

    document = report(project, capsys)

    assert "what you expected" in str(document["missing"])
    assert "https://github.com/acme/engine/pull/2" in str(document["similar"])
    assert "https://github.com/acme/engine/issues/5" in str(document["similar"])


def test_nothing_to_report_is_refused(project: Project) -> None:
    assert run(["--config", str(project.directory / "watcher.toml"), "bug-report"]) == 2


def test_the_pin_is_the_package_where_the_traceback_ends(project: Project) -> None:
    pins = project.app.pinned()

    chosen = choose_pin(pins, parse_symptom("", LOG.splitlines()), None)

    assert chosen.name == "engine"
    with pytest.raises(UsageError, match="nothing is pinned"):
        choose_pin([], parse_symptom("x"), None)


def test_without_a_log_the_log_is_what_is_missing(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(Path(project.directory) / "watcher.toml")

    assert run(["--config", config, "bug-report", "loss", "is", "nan"]) == 0
    told = capsys.readouterr()
    assert "the whole stderr" in told.out
    assert "Removed: " in told.err
