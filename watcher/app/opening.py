"""Opens the application, and what the faces need before there is one."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from watcher.adapters.files import DiskFiles, read_profile_text
from watcher.settings import locate_config, parse_settings
from watcher.upstreams.load import parse_profile

if TYPE_CHECKING:
    from watcher.pipeline.init import InitResult
from watcher.app.application import App


def open_app(config: Path | None, *, environment: Mapping[str, str] | None = None) -> App:
    """The application of a configuration file (``--config``), or of the nearest one.

    Raises ConfigError.
    """
    variables = dict(os.environ) if environment is None else dict(environment)
    files = DiskFiles()
    origin = locate_config(config, start=Path.cwd(), environment=variables, read=files.read)
    text = files.read(origin) or ""
    settings = parse_settings(text, origin=origin, environment=variables, read=files.read)
    return App(settings, variables)


def detect_project(root: Path, environment: Mapping[str, str]) -> InitResult:
    """What a project pins and runs, found in its files."""
    from watcher.pipeline.init import detect

    index = tomllib.loads(read_profile_text("index.toml"))
    common = read_profile_text("common.toml")
    profiles = [
        parse_profile(read_profile_text(f"{name}.toml"), common=common)
        for name in sorted(set(index["profiles"].values()))
    ]
    return detect(
        DiskFiles(), root, profiles=profiles, environment=environment, prefixes=[Path(sys.prefix)]
    )


def build_example(directory: Path, stream: bytes, environment: Mapping[str, str]) -> None:
    """A bare repository from a fast-import stream. Raises MirrorError."""
    from watcher.adapters.git.example import build_repository

    build_repository(directory, stream, environment)


def git_version(environment: Mapping[str, str]) -> tuple[int, ...]:
    """Version of the git binary. Raises MirrorError when there is none."""
    from watcher.adapters.git.process import Git

    git = Git(directory=Path(), environment=environment)
    words = git.run(["version"]).output.decode("utf-8", "replace").split()
    numbers = words[2].split(".")[:3] if len(words) > 2 else []
    return tuple(int(part) for part in numbers if part.isdigit())
