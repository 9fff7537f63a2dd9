"""A program: EMPTY_STORE DIRECTORY PORT [NAME]: does the morning's work and dies at every step.

A step is a moment just before or just after a call of the store or of the channel. Each one is
tried in a process of its own on a store of its own; then another process, after the lease, does the
work again. Prints the number of steps, which a first undisturbed run tells. With a NAME there is
one such pair and nobody dies by himself.
"""

import os
import shutil
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from tests.digest_scenes import NOW, make_item, make_scene
from watcher.adapters.outlets import make_outlets
from watcher.adapters.templates import DigestTemplates
from watcher.pipeline.delivery import LEASE
from watcher.pipeline.digest import LazyScene
from watcher.pipeline.morning import MorningRound
from watcher.settings import parse_settings
from watcher.store.engine import make_engine
from watcher.store.repository import SqlStore

ROOT = Path(__file__).parents[2]
TOML = """
[digest]
at = "09:00"
timezone = "Asia/Shanghai"
channels = [{{ type = "email", from = "step-{step}@example.org", to = ["you@example.org"] }}]
"""


class Stepping:
    """Passes every call on, and counts the moments before and after it."""

    def __init__(self, real: Any, passed: Callable[[], None]) -> None:
        self._real, self._passed = real, passed

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if not callable(found):
            return found

        def called(*arguments: Any, **named: Any) -> Any:
            self._passed()
            outcome = found(*arguments, **named)
            self._passed()
            return outcome

        return called


class FixedClock:
    """Stands still."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now


def work(url: str, port: str, step: str, now: datetime, die_at: int | None) -> int:
    """The morning's work; how many steps it had."""
    passed = 0

    def moment() -> None:
        nonlocal passed
        if passed == die_at:
            os._exit(9)
        passed += 1

    settings = parse_settings(
        TOML.format(step=step),
        origin=Path("/nowhere/watcher.toml"),
        environment={"WATCHER_SMTP_URL": f"smtp://127.0.0.1:{port}"},
    )
    outlets = make_outlets(settings, DigestTemplates(ROOT / "templates" / "digest"))
    for outlet in outlets:
        msgspec.structs.force_setattr(outlet, "channel", Stepping(outlet.channel, moment))
    morning = MorningRound(
        store=Stepping(SqlStore(make_engine(url)), moment),
        clock=FixedClock(now),
        settings=settings.digest,
        outlets=outlets,
    )
    morning.run(LazyScene(lambda: make_scene(make_item())))
    return passed


def main(empty_store: str, directory: str, port: str, *only: str) -> None:
    def url(step: str) -> str:
        file = Path(directory) / f"{step}.db"
        shutil.copy(empty_store, file)
        return f"sqlite:///{file}"

    count = 0 if only else work(url("undisturbed"), port, "undisturbed", NOW, None)
    print(count)
    for step in only or map(str, range(count)):
        store = url(step)
        for now, at in (
            (NOW, int(step) if step.isdigit() else None),
            (NOW + LEASE + timedelta(minutes=1), None),
        ):
            child = os.fork()
            if child == 0:
                (Path(directory) / "pid").write_text(str(os.getpid()))
                work(store, port, step, now, at)
                os._exit(0)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
