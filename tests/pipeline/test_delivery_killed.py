"""The sender dies at every moment of its work; the next one loses nothing and doubles nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.receivers import MailServer, mail_server
from watcher.store.migrate import open_store

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("store") / "empty.db"
    open_store(f"sqlite:///{file}", ROOT / "migrations").close()
    return file


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


def send(empty: Path, directory: Path, server: MailServer, *steps: str) -> str:
    command = [sys.executable, "-m", "tests.pipeline.killed_sender", str(empty), str(directory)]
    done = subprocess.run(
        [*command, str(server.port), *steps],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout


def test_a_kill_between_any_two_steps_neither_loses_nor_doubles_the_digest(
    empty_file: Path, tmp_path: Path, server: MailServer
) -> None:
    count = int(send(empty_file, tmp_path, server))

    arrived: dict[str, list[str]] = {str(step): [] for step in range(count)}
    for mail in server.messages:
        step = str(mail["From"]).partition("@")[0].removeprefix("step-")
        arrived.setdefault(step, []).append(mail["Message-ID"])
    assert count > 15
    assert [step for step, ids in arrived.items() if not ids] == []
    assert all(len(set(ids)) == 1 for ids in arrived.values())
    doubled = [step for step, ids in arrived.items() if len(ids) > 1]
    assert len(doubled) == 2  # accepted and not yet noted: after the channel, before the store


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["receiver", "content"])
def test_a_kill_in_the_middle_of_the_conversation_sends_the_same_mail_again(
    empty_file: Path, tmp_path: Path, server: MailServer, moment: str
) -> None:
    kills = Counter[str]()

    def kill(_told: object) -> None:
        kills["sender"] += 1
        if kills["sender"] == 1:
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)

    setattr(server, f"on_{moment}", kill)

    send(empty_file, tmp_path, server, "whole")

    assert 1 <= len(server.mails) <= (2 if moment == "content" else 1)
    assert len({mail["Message-ID"] for mail in server.messages}) == 1
