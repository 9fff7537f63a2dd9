"""What an upstream ships at a pin: default configuration, examples, import graph; made once.

The mirror is read; results are kept as small documents in the store, named by upstream and commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from watcher.pipeline.followed import FollowedUpstream
from watcher.ports.store import Store
from watcher.upstreams.profile import Profile
from watcher.usage.baseline import Baseline
from watcher.usage.codec import baseline_from_json, baseline_to_json
from watcher.usage.examples import Examples, count_examples
from watcher.usage.given import GivenSetting
from watcher.usage.import_graph import (
    ImportGraph,
    build_import_graph,
    graph_from_json,
    graph_to_json,
)
from watcher.usage.program import Program, choose_program

_CONFIG: Final = (".yaml", ".yml")
_EXAMPLES: Final = (".sh", ".bash", ".yaml", ".yml")
_MOST_FILES: Final = 4_000


class Compose(Protocol):
    """Composes a Hydra configuration (``adapters.hydra_compose.compose``)."""

    def __call__(
        self,
        upstream: str,
        files: Mapping[str, str],
        program: str,
        *,
        groups: Sequence[str] = ...,
        examples: Examples = ...,
    ) -> Baseline:
        """The defaults, or a baseline with its reason."""
        ...


class Ways(Struct, frozen=True, kw_only=True):
    """What one upstream ships at one commit, for one user's program."""

    baseline: Baseline
    graph: ImportGraph
    program: str | None = None


class WaysReader:
    """Reads and keeps the ways of upstreams."""

    def __init__(self, store: Store, compose: Callable[[], Compose]) -> None:
        self._store = store
        self._compose = compose
        """Gives the composer on demand: it is slow to import."""

    def read(self, followed: FollowedUpstream, sha: str, given: Sequence[GivenSetting]) -> Ways:
        """The ways of an upstream at a commit, for a user with these settings."""
        key = f"{followed.upstream}@{sha}"
        fitting = _fitting(given)
        kept = self._store.document("baseline", key)
        ways = self.kept(followed.upstream, sha)
        if ways is not None and isinstance(kept, dict) and kept.get("for") == fitting:
            return ways
        graph = self._graph(followed, sha)
        baseline, program = self._baseline(followed, sha, given, followed.profile)
        self._store.save_document(
            "baseline",
            key,
            {"for": fitting, "baseline": baseline_to_json(baseline), "program": program},
        )
        return Ways(baseline=baseline, graph=graph, program=program)

    def kept(self, upstream: str, sha: str) -> Ways | None:
        """The ways as last read for whatever settings, or None."""
        key = f"{upstream}@{sha}"
        kept = self._store.document("baseline", key)
        drawn = self._store.document("import-graph", key)
        if not isinstance(kept, dict) or not isinstance(drawn, str):
            return None
        baseline = baseline_from_json(str(kept.get("baseline")))
        graph = graph_from_json(drawn)
        if baseline is None or graph is None:
            return None
        return Ways(baseline=baseline, graph=graph, program=_text(kept.get("program")))

    def _baseline(
        self,
        followed: FollowedUpstream,
        sha: str,
        given: Sequence[GivenSetting],
        profile: Profile,
    ) -> tuple[Baseline, str | None]:
        examples = count_examples(_texts(followed, sha, profile.examples, _EXAMPLES))
        for root in profile.config_roots:
            files = {
                path.removeprefix(f"{root}/"): text
                for path, text in _texts(followed, sha, (root,), _CONFIG)
            }
            program: Program | None = choose_program(given, files)
            if program is not None:
                baseline = self._compose()(
                    followed.upstream, files, program.name, groups=program.groups, examples=examples
                )
                return baseline, program.name
        return Baseline(upstream=followed.upstream, examples=examples), None

    def _graph(self, followed: FollowedUpstream, sha: str) -> ImportGraph:
        key = f"{followed.upstream}@{sha}"
        kept = self._store.document("import-graph", key)
        graph = graph_from_json(kept) if isinstance(kept, str) else None
        if graph is None:
            graph = build_import_graph(_texts(followed, sha, (followed.profile.module,), (".py",)))
            self._store.save_document("import-graph", key, graph_to_json(graph))
        return graph


def _fitting(given: Sequence[GivenSetting]) -> str:
    """Names what decides which configuration is composed: groups chosen and sections set."""
    groups = sorted(f"{item.key}={item.value}" for item in given if "." not in item.key)
    sections = sorted({item.key.partition(".")[0] for item in given})
    return "|".join((*sections, *groups))[:4_000]


def _texts(
    followed: FollowedUpstream, sha: str, folders: Sequence[str], suffixes: tuple[str, ...]
) -> list[tuple[str, str]]:
    paths = [
        path
        for folder in folders
        for path in followed.mirror.files(sha, under=folder)
        if path.endswith(suffixes)
    ]
    blobs = followed.mirror.blobs(sha, paths[:_MOST_FILES])
    return [(path, content.decode("utf-8", "replace")) for path, content in blobs]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
