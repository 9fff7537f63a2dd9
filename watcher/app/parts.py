"""The parts of the application: settings, clock, files, store, one set of ports an upstream.

Nothing is opened before it is used, so a face pays only for what it asks.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing
from functools import cached_property, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from watcher.adapters.alone import alone
from watcher.adapters.clock import SystemClock
from watcher.adapters.files import DiskFiles, data_directory, read_profile_text
from watcher.pipeline.followed import FollowedUpstream
from watcher.settings import PinSetting, Settings
from watcher.upstreams.load import load_profile

if TYPE_CHECKING:
    from watcher.adapters.git import GitMirror
    from watcher.adapters.github.auth import Access, Token
    from watcher.advisories.record import Advisory
    from watcher.pipeline.assess import Weights
    from watcher.pipeline.carried import CarriedReader
    from watcher.pipeline.machine import Machine
    from watcher.pipeline.memory import FindingsMemory
    from watcher.ports.github import GitHub
    from watcher.ports.mapped import Outcome, Task
    from watcher.store.repository import SqlStore
    from watcher.store.upkeep import StoreState
    from watcher.upstreams.profile import Profile


def package_text(name: str) -> str:
    """Text of a data file inside the package (``matching/weights.toml``)."""
    return resources.files("watcher").joinpath(name).read_text("utf-8")


def this_machine() -> Machine:
    """What the operating system says about this machine and its user."""
    import getpass
    import platform

    from watcher.pipeline.machine import Machine

    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    return Machine(
        system=platform.platform(),
        python=platform.python_version(),
        host=platform.node(),
        user=user,
        home=str(Path.home()),
    )


def template_directory(name: str) -> Path:
    """Directory of shipped templates, ``web`` or ``digest``. Raises ConfigError."""
    return data_directory("templates") / name


def _mapped_apart(
    make: Callable[[], Callable[[Task], Outcome]], tasks: Iterable[Task], *, expected: int
) -> Iterator[Outcome]:
    """``mapped_apart``, imported when history is read."""
    from watcher.adapters.second_process import mapped_apart

    return mapped_apart(make, tasks, expected=expected)


class Parts:
    """What every use case is made of."""

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

    @property
    def upstreams(self) -> list[str]:
        """Upstreams that are pinned, in the order of the configuration."""
        return list(dict.fromkeys(pin.upstream for pin in self.settings.pins))

    @property
    def pin_names(self) -> list[str]:
        """Names of the pins, in the order of the configuration."""
        return [pin.name for pin in self.settings.pins]

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

    def mirror(self, upstream: str) -> GitMirror:
        """The mirror of an upstream."""
        from watcher.adapters.git import GitMirror

        return GitMirror(self._beside(upstream, ".git"), environment=self.environment)

    @cached_property
    def weights(self) -> Weights:
        """The numbers of the rules."""
        from watcher.matching.usage_weights import parse_usage_weights
        from watcher.matching.weights import parse_rank_weights
        from watcher.pipeline.assess import Weights

        text = package_text("matching/weights.toml")
        return Weights(
            usage=parse_usage_weights(text),
            rank=parse_rank_weights(text),
            digest=hashlib.sha256(text.encode()).hexdigest()[:16],
        )

    @cached_property
    def memory(self) -> FindingsMemory:
        """Findings kept decoded, for faces that answer many questions."""
        from watcher.pipeline.memory import FindingsMemory

        return FindingsMemory()

    @cached_property
    def carried(self) -> CarriedReader:
        """What reads which changes a pin carries."""
        from watcher.pipeline.carried import CarriedReader

        return CarriedReader(store=self.store, files=self.files, settings=self.settings)

    @cached_property
    def advisories(self) -> tuple[Advisory, ...]:
        """The catalogue with the user's own files. Raises ConfigError."""
        from watcher.adapters.catalogue import read_catalogue

        return read_catalogue(self.settings, self.files)

    def copy_store(self, target: Path) -> None:
        """Copy an SQLite store, also while others use it. Raises StoreError."""
        from sqlalchemy import make_url

        from watcher.store.upkeep import copy_store

        copy_store(make_url(self.settings.store.url), target)

    def store_state(self) -> StoreState:
        """What the store is and holds, no password in it. Raises StoreError."""
        from watcher.store.upkeep import state_of

        return state_of(self.store)

    def store_problems(self) -> list[str]:
        """What an integrity check of the store finds. Raises StoreError."""
        from watcher.store.upkeep import problems_of

        return problems_of(self.store)

    def close(self) -> None:
        """Close what was opened."""
        if "store" in self.__dict__:
            self.store.close()

    def github(self, pin: PinSetting) -> AbstractContextManager[GitHub] | None:
        """A session with the API of a pin, closed at the end; None where the API is off.

        Raises ConfigError for a token that is none.
        """
        api = pin.api
        if api is None:
            return None
        from watcher.adapters.github.connect import connect
        from watcher.adapters.github.limits import Patience

        return closing(connect(api, self._token(api), Patience(self.clock, time.sleep)))

    def github_access(self, pin: PinSetting) -> Access | None:
        """What the API of a pin says of the token; None without a token or where it is off.

        Asks GitHub, at no cost of the allowance. Raises ConfigError and RemoteError.
        """
        from watcher.adapters.github.auth import check_access, open_session

        token = None if pin.api is None else self._token(pin.api)
        if pin.api is None or token is None:
            return None
        with closing(open_session(pin.api, token)) as session:
            return check_access(session)

    def _token(self, api: str) -> Token | None:
        """The token for an API: from the environment, or from GitHub's own command line."""
        from watcher.adapters.git.process import ask
        from watcher.adapters.github.auth import find_token
        from watcher.settings.addresses import github_host

        return find_token(
            self.environment,
            lambda path: self.files.read(Path(path)),
            lambda: ask("gh", ["auth", "token", "--hostname", github_host(api)], self.environment),
        )

    def _follow(self, upstream: str) -> FollowedUpstream:
        from watcher.adapters.index import Fts5Index
        from watcher.adapters.lineage_files import DirectoryLineageFiles

        return FollowedUpstream(
            upstream=upstream,
            profile=self.profile(upstream),
            mirror=self.mirror(upstream),
            index=Fts5Index(self._beside(upstream, ".index")),
            lineage=DirectoryLineageFiles(self._beside(upstream, ".lineage")),
            paths=self.pins_of(upstream)[0].paths,
            alone=partial(alone, self._beside(upstream, ".reading")),
            mapped=_mapped_apart,
        )

    def _beside(self, upstream: str, suffix: str) -> Path:
        return self.settings.store.mirrors / (upstream.replace("/", "+") + suffix)
