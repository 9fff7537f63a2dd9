"""An upstream's ways as data: how changes land, how titles read, what its tags and facets are.

Pure: TOML text in, a frozen ``Profile`` out. The TOML files lie beside this module and are read in
``adapters``;
``[profiles.NAME]`` of ``watcher.toml`` may overlay any key.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


class Regex(Struct, frozen=True):
    """A case-insensitive regular expression that is compiled when it is first used.

    Classes and word borders are those of ASCII: quicker, and ``fsdp`` is a word between Chinese
    signs too. A profile holds over a hundred; a command uses a few of them.
    """

    pattern: str

    @property
    def compiled(self) -> re.Pattern[str]:
        """For a loop over many texts."""
        return _compiled(self.pattern)

    def search(self, text: str) -> re.Match[str] | None:
        """First match anywhere."""
        return _compiled(self.pattern).search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Match at the start."""
        return _compiled(self.pattern).match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match of the whole text."""
        return _compiled(self.pattern).fullmatch(text)


class Landing(StrEnum):
    """How a pull request becomes a commit of the tracked branch."""

    SQUASH = "squash"
    """Subject ends in ``(#N)``; with two numbers the last one is the pull request."""
    MERGE = "merge"
    """``Merge pull request #N`` commits."""
    BOT_TRAILER = "bot-trailer"
    """A bot lands it: ``Pull Request resolved: URL`` trailer (PyTorch)."""


class FacetRule(Struct, frozen=True, kw_only=True):
    """When a change or a usage has a facet."""

    name: str
    group: str | None
    """Facets of one group exclude each other (``training``, ``rollout``, ``hardware``); None for
    free facets.
    """
    words: Regex
    """Matched on titles, tags, paths, labels and symptom words."""
    settings: tuple[tuple[str, str], ...] = ()
    """(key suffix, value pattern) pairs: a usage with such a setting has the facet."""
    paths: Regex | None = None


class IssueRules(Struct, frozen=True, kw_only=True):
    """Which issues are bug reports."""

    labels: tuple[str, ...] = ()
    title_prefixes: tuple[str, ...] = ()
    form_headings: tuple[str, ...] = ()
    stale_labels: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()


class Profile(Struct, frozen=True, kw_only=True):
    """Everything that differs between upstreams."""

    name: str
    verified: bool
    upstreams: tuple[str, ...]
    """``owner/name`` it is for, the present one first, then former names and well-known forks."""
    branch: str
    landing: Landing
    package: str | None
    """Distribution whose version names a release (``verl``, ``vllm``, ``torch``)."""
    module: str
    """Top-level Python package, for mapping frames and imports."""
    title_pattern: Regex | None
    """Named groups ``tags``, ``type``, ``breaking``, ``text``; titles that do not match are read
    leniently.
    """
    kinds: dict[str, str]
    """Title type or tag, lower case -> Kind value."""
    template_lines: tuple[Regex, ...]
    """Lines of a message body that belong to the pull request template."""
    trailer_lines: tuple[Regex, ...]
    tag_pattern: Regex
    """Release tags; group ``version`` is what PEP 440 or semver parses."""
    release_branch_pattern: Regex
    facets: tuple[FacetRule, ...]
    issues: IssueRules
    config_roots: tuple[str, ...]
    """Directories or files of the upstream that hold its default configuration (Hydra)."""
    entry_points: dict[str, str]
    """Console script or ``python -m`` module -> dotted module (``vllm`` ->
    ``vllm.entrypoints.cli.main``).
    """
    examples: tuple[str, ...]
    """Directories with example scripts and configurations."""
    releases: dict[str, str]
    """Release version -> full sha, for releases without a tag in the mirror."""
    size_hint_mb: int | None = None
    """Expected size of a first shallow fetch per 1,000 changes, MB."""
    large: bool = False
    """Very large upstream: say the expected size before a first fetch."""
    template_sections: tuple[str, ...] = ()
    """Headings of the pull request template whose whole section says nothing about the change."""
    kind_words: tuple[tuple[str, Regex], ...] = ()
    """(Kind value, words of a title) in order of trial, for titles without a type or kind tag."""
    hidden_fix_words: Regex | None = None
    """Words in the title of a feature, refactoring or chore which say that it mends something."""
    bug_words: Regex | None = None
    """Words in a body that speak of a malfunction; with a closing reference they make a fix."""
