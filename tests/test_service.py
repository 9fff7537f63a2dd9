"""The service as a process: it starts, answers, sends, logs, and stops when told."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.builders import GitRepo, git_environment
from tests.receivers import Hook, free_port, hook
from tests.stories import Project
from watcher.app import open_app
from watcher.errors import ConfigError
from watcher.service.jobs import Jobs
from watcher.service.log import JsonLines, PlainLines
from watcher.service.run import ServiceOptions, serve

ROOT = Path(__file__).parents[1]
CODE = "def train(batch):\n    return step(batch)\n"
DIGEST = '[digest]\nat = "00:00"\nchannels = [{ type = "slack" }]'


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("upstream") / "repo")
    repo.commit({"engine/core.py": CODE}, "feat: train (#1)")
    repo.git("tag", "v1.0.0")
    repo.commit({"engine/core.py": CODE.replace("step", "mend")}, "fix: wrong step (#2)")
    return repo


@pytest.fixture
def project(tmp_path: Path, upstream: GitRepo) -> Iterator[Project]:
    made = Project(tmp_path / "project", upstream)
    made.configure("v1.0.0", usage='paths = ["engine/core.py"]', more=DIGEST)
    yield made
    made.close()


@pytest.fixture
def receiver() -> Iterator[Hook]:
    with hook() as running:
        yield running


@contextmanager
def running(project: Project, receiver: Hook, *options: str) -> Iterator[subprocess.Popen[str]]:
    config = str(project.directory / "watcher.toml")
    program = "from watcher.cli.main import main; main()"
    command = [sys.executable, "-c", program, "--config", config, "serve", *options]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=git_environment() | {"WATCHER_SLACK_WEBHOOK": receiver.address},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], event: str) -> list[dict[str, object]]:
    """Log lines up to an event; the stream ends with the process, so this does too."""
    assert process.stderr is not None
    lines = []
    for text in process.stderr:
        lines.append(json.loads(text))
        if lines[-1]["event"] == event:
            return lines
    raise AssertionError(f"no {event!r} in {lines}")


@pytest.mark.slow
def test_the_service_syncs_sends_answers_and_stops_when_told(
    project: Project, receiver: Hook
) -> None:
    port = free_port()
    with running(project, receiver, "--port", str(port)) as process:
        lines = read_until(process, "sync: done")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            ready = json.load(answer)
        process.send_signal(signal.SIGTERM)
        lines += read_until(process, "service: stopped")

        assert process.wait(10) == 0
    assert ready == {"ready": True}
    assert {"jobs: started", "sync: done"} <= {str(line["event"]) for line in lines}
    assert receiver.address.rpartition("/")[2] not in json.dumps(lines)


@pytest.mark.slow
def test_two_services_on_one_store_send_one_digest(project: Project, receiver: Hook) -> None:
    project.sync()
    project.close()
    with (
        running(project, receiver, "--no-web") as first,
        running(project, receiver, "--no-web") as second,
    ):
        for process in (first, second):
            read_until(process, "jobs: started")
        assert receiver.arrived.wait(30)
        for process in (first, second):
            process.send_signal(signal.SIGTERM)
        for process in (first, second):
            read_until(process, "service: stopped")

    assert len(receiver.posts) == 1
    assert "engine#2" in receiver.posts[0][1].decode()


# --- jobs ---


def jobs(project: Project, receiver: Hook | None = None) -> Jobs:
    environment = git_environment()
    if receiver is not None:
        environment["WATCHER_SLACK_WEBHOOK"] = receiver.address
    config = project.directory / "watcher.toml"
    return Jobs(*(open_app(config, environment=environment) for _ in range(2)))


def test_a_project_that_was_never_synced_is_synced_at_once(project: Project) -> None:
    at_work = jobs(project)
    at_work.start()
    try:
        first = at_work.next_runs()
    finally:
        at_work.stop(10)

    assert first.keys() >= {"sync", "digest", "outbox"}
    assert project.app.store.walk("acme/engine") is not None


def test_a_sync_is_due_when_the_last_one_says_so(project: Project) -> None:
    project.sync()
    at_work = jobs(project)
    at_work.start()
    try:
        due = at_work.next_runs()["sync"]
    finally:
        at_work.stop(10)

    walk = project.app.store.walk("acme/engine")
    assert walk is not None
    assert due[:16] == (walk.synced_at + timedelta(hours=6)).isoformat()[:16]


def test_a_clock_that_was_set_back_leaves_no_job_in_the_far_future(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.sync()
    at_work = jobs(project)
    at_work.start()
    try:
        at_work.revive(datetime.now(UTC))
        usual = [record.getMessage() for record in caplog.records]
        at_work.revive(datetime.now(UTC) - timedelta(days=300))
    finally:
        at_work.stop(10)

    brought = [one for one in caplog.records if one.getMessage() == "jobs: the clock was set back"]
    assert "jobs: the clock was set back" not in usual
    assert {one.__dict__["job"] for one in brought} == {"sync", "outbox", "digest"}


def test_what_fails_is_logged_and_ends_nothing(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.configure("v1.0.0", more=DIGEST)
    text = (project.directory / "watcher.toml").read_text()
    gone = text.replace(project.upstream.path.as_uri(), "file:///nowhere/at-all")
    (project.directory / "watcher.toml").write_text(gone)

    with caplog.at_level(logging.INFO):
        at_work = jobs(project)
        at_work.sync()
        at_work.morning()

    failed = [record for record in caplog.records if record.getMessage() == "sync: failed"]
    assert [record.__dict__["upstream"] for record in failed] == ["acme/engine"]
    assert all(record.exc_info is None for record in caplog.records)


def test_a_refused_message_is_logged_with_its_reason(
    project: Project, receiver: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    project.sync()
    receiver.replies.append((404, {}, "no_service"))

    with caplog.at_level(logging.INFO):
        jobs(project, receiver).morning()

    (record,) = [one for one in caplog.records if one.getMessage() == "digest: tried"]
    assert (record.levelno, record.__dict__["state"]) == (logging.WARNING, "given-up")
    assert "HTTP 404: no_service" in record.__dict__["error"]


def test_nothing_to_run_is_refused(project: Project) -> None:
    with pytest.raises(ConfigError, match="nothing is left to run"):
        serve(project.app, ServiceOptions(has_web=False, has_jobs=False))


# --- log ---


def logged(formatter: logging.Formatter) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger = logging.getLogger("tests.service")
    logger.addHandler(handler)
    try:
        int("line one\nline two")
    except ValueError:
        logger.exception("sync: \x1b[31mfailed\nforged: line", extra={"upstream": "a/b"})
    finally:
        logger.removeHandler(handler)
    return stream.getvalue()


def test_a_log_line_is_one_json_object() -> None:
    (line,) = logged(JsonLines()).splitlines()
    told = json.loads(line)

    assert (told["level"], told["event"]) == ("error", "sync: failed forged: line")
    assert told["upstream"] == "a/b"
    assert "ValueError" in told["traceback"]
    assert told["time"].endswith("Z")


def test_a_line_for_people_names_the_same() -> None:
    first = logged(PlainLines()).splitlines()[0]

    assert first.endswith("error   sync: failed forged: line upstream=a/b")
    assert os.linesep not in first
