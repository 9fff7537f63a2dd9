"""Which facets a change has: named by its title, or carried by most of its shipped files. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from watcher.facts.diff import TouchedFile
from watcher.facts.message import Message
from watcher.upstreams.profile import Profile

_SHARE: Final = 0.5
"""Share of the shipped files that must carry a facet."""
_FILES: Final = 200


class FacetReader:
    """Reads the facets of changes by one profile; paths are read once each."""

    def __init__(self, profile: Profile) -> None:
        self._rules = [
            (
                rule.name,
                rule.words.compiled.search,
                None if rule.paths is None else rule.paths.compiled.search,
            )
            for rule in profile.facets
        ]
        self._order = {rule.name: at for at, rule in enumerate(profile.facets)}
        self.of_path = lru_cache(maxsize=65_536)(self._of_path)

    def of_change(
        self, message: Message, files: Sequence[TouchedFile], labels: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Facets in the order of the profile."""
        names = set(message.facets) | self.of_files(files)
        for label in labels:
            names |= self.of_path(label)
        return tuple(sorted(names, key=self._order.__getitem__))

    def of_files(self, files: Sequence[TouchedFile]) -> set[str]:
        """Facets that at least half of the shipped files carry."""
        shipped = [file for file in files if file.role.is_shipped][:_FILES]
        counts = Counter(name for file in shipped for name in self.of_path(file.path))
        return {name for name, count in counts.items() if count >= _SHARE * len(shipped)}

    def _of_path(self, path: str) -> frozenset[str]:
        words = path.replace("/", " ").replace("_", " ").replace(".", " ")
        return frozenset(
            name
            for name, in_words, in_path in self._rules
            if in_words(words) or (in_path is not None and in_path(path))
        )
