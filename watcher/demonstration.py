"""Runs everything on the embedded example: a small upstream in a scratch folder, no network.

The true pipeline on a made-up history; the faces print what a user would see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from watcher.app import App, build_example, open_app
from watcher.demo.story import LAUNCH_SCRIPT, watcher_toml, write_history


@contextmanager
def example(environment: Mapping[str, str], directory: Path | None = None) -> Iterator[App]:
    """The application on the example; its folder goes at the end, unless one is named."""
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
        yield from _opened(directory, environment)
        return
    with TemporaryDirectory(prefix="watcher-demo-") as scratch:
        yield from _opened(Path(scratch), environment)


def _opened(directory: Path, environment: Mapping[str, str]) -> Iterator[App]:
    upstream = directory / "upstream.git"
    project = directory / "project"
    project.mkdir(exist_ok=True)
    build_example(upstream, write_history(), environment)
    (project / "run.sh").write_text(LAUNCH_SCRIPT, encoding="utf-8")
    config = project / "watcher.toml"
    config.write_text(watcher_toml(upstream.resolve().as_uri()), encoding="utf-8")
    app = open_app(config, environment=_plain(environment))
    try:
        yield app
    finally:
        app.close()


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would steer watcher elsewhere."""
    return {name: value for name, value in environment.items() if not name.startswith("WATCHER_")}
