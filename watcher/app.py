"""Wires the application once, from the settings: the only place that knows adapters and store.

Nothing is opened before it is used, so a face pays only for what it asks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from watcher.adapters.clock import SystemClock
from watcher.adapters.files import DiskFiles, data_directory, read_profile_text
from watcher.pipeline.followed import FollowedUpstream
from watcher.settings import PinSetting, Settings, locate_config, parse_settings
from watcher.upstreams.load import load_profile

if TYPE_CHECKING:
    from watcher.adapters.git import GitMirror
    from watcher.advisories.record import Advisory
    from watcher.store.repository import SqlStore
    from watcher.upstreams.profile import Profile


class App:
    """The application: settings, clock, files, and one set of ports for each upstream."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self.settings = settings
        self.environment = environment
        self.clock = SystemClock()
        self.files = DiskFiles()
        self._followed: dict[str, FollowedUpstream] = {}

    @cached_property
    def store(self) -> SqlStore:
        """The store, opened and brought up to date on first use. Raises StoreError."""
        from watcher.store.migrate import open_store

        return open_store(self.settings.store.url, data_directory("migrations"))

    def followed(self, upstream: str) -> FollowedUpstream:
        """The ports of one upstream."""
        if upstream not in self._followed:
            self._followed[upstream] = self._follow(upstream)
        return self._followed[upstream]

    def profile(self, upstream: str) -> Profile:
        """The profile of an upstream, with the user's overlay. Raises ConfigError."""
        return load_profile(upstream, read_profile_text, self.settings.profiles)

    def pins_of(self, upstream: str) -> list[PinSetting]:
        """The pins of one upstream, in the order of the configuration."""
        return [pin for pin in self.settings.pins if pin.upstream == upstream]

    @property
    def upstreams(self) -> list[str]:
        """Upstreams that are pinned, in the order of the configuration."""
        return list(dict.fromkeys(pin.upstream for pin in self.settings.pins))

    def mirror(self, upstream: str) -> GitMirror:
        """The mirror of an upstream."""
        from watcher.adapters.git import GitMirror

        return GitMirror(self._beside(upstream, ".git"), environment=self.environment)

    def text(self, name: str) -> str:
        """Text of a data file inside the package (``watcher/NAME``)."""
        from importlib import resources

        return resources.files("watcher").joinpath(name).read_text("utf-8")

    @cached_property
    def advisories(self) -> tuple[Advisory, ...]:
        """The catalogue with the user's own files. Raises ConfigError."""
        from watcher.adapters.catalogue import read_catalogue

        return read_catalogue(self.settings, self.files)

    def close(self) -> None:
        """Close what was opened."""
        if "store" in self.__dict__:
            self.store.close()

    def _follow(self, upstream: str) -> FollowedUpstream:
        from watcher.adapters.index import Fts5Index
        from watcher.adapters.lineage_files import DirectoryLineageFiles

        first = self.pins_of(upstream)[0]
        return FollowedUpstream(
            upstream=upstream,
            profile=self.profile(upstream),
            mirror=self.mirror(upstream),
            index=Fts5Index(self._beside(upstream, ".index")),
            lineage=DirectoryLineageFiles(self._beside(upstream, ".lineage")),
            paths=first.paths,
        )

    def _beside(self, upstream: str, suffix: str) -> Path:
        return self.settings.store.mirrors / (upstream.replace("/", "+") + suffix)


def open_app(config: Path | None, *, environment: Mapping[str, str] | None = None) -> App:
    """The application of a configuration file (``--config``), or of the nearest one.

    Raises ConfigError.
    """
    variables = dict(os.environ) if environment is None else dict(environment)
    files = DiskFiles()
    origin = locate_config(config, start=Path.cwd(), environment=variables, read=files.read)
    text = files.read(origin) or ""
    return App(
        parse_settings(text, origin=origin, environment=variables, read=files.read), variables
    )
