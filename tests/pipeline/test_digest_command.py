"""``watcher digest``, ``ignore``, ``unignore``, ``ack``: what people and cron see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import GitRepo
from tests.receivers import Hook, MailServer, hook, mail_server
from tests.stories import Project
from watcher.cli.main import run

CODE = "def train(batch):\n    return step(batch)\n"
CHANNELS = """
[digest]
channels = [
  { type = "email", from = "watcher@example.org", to = ["you@example.org"] },
  { type = "slack" },
]
"""


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("upstream") / "repo")
    repo.commit({"engine/core.py": CODE}, "feat: train (#1)")
    repo.git("tag", "v1.0.0")
    repo.commit({"engine/core.py": CODE.replace("step", "mend")}, "fix: wrong <b>step</b> (#2)")
    return repo


@pytest.fixture
def config(tmp_path: Path, upstream: GitRepo, monkeypatch: pytest.MonkeyPatch) -> str:
    project = Project(tmp_path / "project", upstream)
    project.configure("v1.0.0", usage='paths = ["engine/core.py"]', more=CHANNELS)
    project.sync()
    project.close()
    monkeypatch.setenv("USER", "ada")
    monkeypatch.delenv("SUDO_USER", raising=False)
    return str(project.directory / "watcher.toml")


@pytest.fixture
def receivers(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MailServer, Hook]]:
    with mail_server() as mails, hook() as posts:
        monkeypatch.setenv("WATCHER_SMTP_URL", mails.address)
        monkeypatch.setenv("WATCHER_SLACK_WEBHOOK", posts.address)
        yield mails, posts


def test_nothing_leaves_without_being_asked(
    config: str, receivers: tuple[MailServer, Hook], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--config", config, "digest"]) == 0
    assert run(["--config", config, "digest", "--send", "--dry-run"]) == 0

    assert "engine#2" in capsys.readouterr().out
    assert (receivers[0].mails, receivers[1].posts) == ([], [])


def test_sending_reaches_every_channel_once_a_day(
    config: str, receivers: tuple[MailServer, Hook], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--config", config, "digest", "--send"]) == 0
    assert run(["--config", config, "digest", "--send"]) == 0

    (mail,) = receivers[0].messages
    ((_, body),) = receivers[1].posts
    assert mail["Subject"].startswith("[watcher] 1 new (1 likely)")
    assert "wrong &lt;b&gt;step" in json.loads(body)["blocks"][3]["text"]["text"]
    assert "email: today's digest was made before" in capsys.readouterr().out
    assert run(["--config", config, "digest"]) == 0
    assert "Nothing new" in capsys.readouterr().out


def test_one_channel_that_fails_stops_no_other_and_is_told(
    config: str, receivers: tuple[MailServer, Hook], capsys: pytest.CaptureFixture[str]
) -> None:
    receivers[0].data_replies.append("451 later")

    status = run(["--config", config, "digest", "--send", "--json"])

    told = json.loads(capsys.readouterr().out)
    assert status == 1
    assert {one["key"].partition(":")[0]: one["state"] for one in told["deliveries"]} == {
        "email": "pending",
        "slack": "sent",
    }
    assert len(receivers[1].posts) == 1


def test_without_a_secret_the_mend_is_named(
    config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("WATCHER_SMTP_URL", "WATCHER_SLACK_WEBHOOK"):
        monkeypatch.delenv(name, raising=False)

    assert run(["--config", config, "digest", "--send"]) == 1

    told = capsys.readouterr().out
    assert "set WATCHER_SMTP_URL" in told
    assert "set WATCHER_SLACK_WEBHOOK" in told
    assert run(["--config", config, "doctor"]) == 1
    assert "set WATCHER_SMTP_URL" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("medium", ["text", "html", "slack", "feishu"])
def test_every_medium_can_be_looked_at(
    config: str, medium: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--config", config, "digest", "--preview", medium]) == 0

    shown = capsys.readouterr().out
    assert "engine#2" in shown
    assert "<b>step" not in shown or medium not in {"html", "slack"}


def test_json_tells_the_digest_and_an_unknown_channel_is_refused(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--config", config, "digest", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"][0]["news"] == "new"
    assert run(["--config", config, "digest", "--channel", "pager"]) == 2
    assert "the channels are email, slack" in capsys.readouterr().err


def test_a_patch_and_a_workaround_may_go_once_the_pin_holds_the_fix(
    config: str,
    upstream: GitRepo,
    receivers: tuple[MailServer, Hook],
    capsys: pytest.CaptureFixture[str],
) -> None:
    def watcher(*words: str) -> int:
        return run(["--config", config, *words])

    toml = Path(config)
    patch = toml.parent / "patches" / "step.patch"
    assert watcher("ack", "engine#2", "--reason", "step is off") == 0
    assert watcher("digest", "--send") == 0
    patch.parent.mkdir()
    patch.write_text(upstream.git("format-patch", "-1", "--stdout", "HEAD") + "\n")
    toml.write_text(toml.read_text().replace("api =", 'patches = ["patches/*.patch"]\napi ='))
    head = upstream.git("rev-parse", "HEAD")
    capsys.readouterr()
    assert watcher("digest") == 0
    assert "Nothing new" in capsys.readouterr().out

    toml.write_text(toml.read_text().replace('ref = "v1.0.0"', f'ref = "{head}"'))

    assert watcher("digest") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "engine moved from v1.0.0" in told
    assert "it now holds 1 fix that you were told of: engine#2" in told
    assert "a workaround may go (acknowledged: step is off (by ada))" in told


def test_an_item_lives_by_command(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    def watcher(*words: str) -> int:
        return run(["--config", config, *words])

    assert watcher("ignore", "engine#2") == 2
    assert watcher("ignore", "engine#2", "--reason", "not ours", "--until", "pin-moves") == 0
    assert "engine#2 ignored until the pin moves: not ours (by ada)" in capsys.readouterr().out
    assert watcher("list") == 0
    assert "1 ignored" in capsys.readouterr().out
    assert watcher("digest") == 0
    assert "Nothing new" in capsys.readouterr().out
    assert watcher("unignore", "engine#2") == 0
    assert watcher("ack", "engine#2", "--reason", "patched here") == 0
    capsys.readouterr()
    assert watcher("ignore", "--history", "--json") == 0
    states = [one["state"] for one in json.loads(capsys.readouterr().out)["decisions"]]
    assert states == ["ignored", "open", "acknowledged"]
