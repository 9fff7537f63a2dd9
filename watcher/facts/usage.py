"""What the user runs: settings, code, facets. Pure records."""

from __future__ import annotations

from msgspec import Struct


class Source(Struct, frozen=True):
    """Where something in the user's files was read: a path relative to the configuration and a
    line.
    """

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Setting(Struct, frozen=True, kw_only=True):
    """One configuration value in force."""

    key: str
    """Dotted key (``actor_rollout_ref.actor.strategy``) or option name without dashes (``tensor-
    parallel-size``).
    """
    value: str
    source: Source
    is_default: bool = False
    """True when it comes from the upstream's own configuration at the pin, not from the user."""
    departs: bool = True
    """False when the value equals the upstream's default at the pin."""
    rarity: float | None = None
    """Share of the upstream's example scripts that set this key to another value or not at all,
    0..1; None unknown.
    """


class CodeUse(Struct, frozen=True, kw_only=True):
    """One way in which the user's Python reaches an upstream."""

    upstream_module: str
    """Dotted module, ``verl.utils.fsdp_utils``."""
    symbol: str = ""
    """Function, class or attribute; empty for a plain import."""
    kind: str = "import"
    """``import``, ``call``, ``attribute``, ``patch`` (monkey-patch), ``subclass`` or ``entry``
    (python -m).
    """
    source: Source


class FacetUse(Struct, frozen=True, kw_only=True):
    """A facet that the usage has or rules out, and the line that says so."""

    name: str
    is_on: bool
    source: Source
    detail: str
    """What was read, e.g. ``actor.strategy=fsdp2``."""
    group: str | None = None
    """Exclusive group in which it was decided; None for a free facet."""


class Usage(Struct, frozen=True, kw_only=True):
    """What the user runs, as far as it was understood."""

    settings: tuple[Setting, ...] = ()
    code: tuple[CodeUse, ...] = ()
    facets: tuple[FacetUse, ...] = ()
    keywords: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Upstream files the user relies on."""
    entry_points: tuple[str, ...] = ()
    """Dotted modules run with ``python -m`` or console scripts mapped to them."""
    environment: tuple[tuple[str, str], ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    """Installed or required package versions known: (name, version)."""
    gpus: int | None = None
    hardware: str | None = None
    nodes: int | None = None
    """Machines of one run, where the settings tell."""
    not_understood: tuple[tuple[Source, str], ...] = ()
