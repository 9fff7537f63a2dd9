"""What ``watcher.toml`` and the environment say, as frozen records.

Pure; no I/O. Paths are absolute, times are aware UTC, durations are ``timedelta``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

from watcher.facts.item import Tier


class SourceKind(StrEnum):
    """Where a pin is read from."""

    INSTALLED = "installed"
    SUBMODULE = "submodule"
    LOCK = "lock"
    REQUIREMENTS = "requirements"
    IMAGE = "image"
    CHECKOUT = "checkout"
    SCRIPT = "script"


class ChannelKind(StrEnum):
    """Where a digest can go."""

    EMAIL = "email"
    SLACK = "slack"
    FEISHU = "feishu"


class Hardware(StrEnum):
    """What the user trains on."""

    CUDA = "cuda"
    ROCM = "rocm"
    NPU = "npu"
    XPU = "xpu"
    TPU = "tpu"
    CPU = "cpu"


class IgnoreEnd(StrEnum):
    """An event that ends an ignore."""

    RELEASED = "released"
    PIN_MOVES = "pin-moves"


class AllQuiet(StrEnum):
    """Whether a digest with nothing new is sent."""

    NEVER = "never"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True)
class SecretText:
    """A secret that no log, traceback or dump shows by accident."""

    _value: str

    def reveal(self) -> str:
        """The secret itself."""
        return self._value

    def __repr__(self) -> str:
        return "SecretText('***')"

    def __str__(self) -> str:
        return "***"


class StoreSettings(Struct, frozen=True, kw_only=True):
    """Where facts and mirrors are kept."""

    url: str
    """SQLAlchemy URL; a relative SQLite path is made absolute against the configuration."""
    mirrors: Path


class PinSource(Struct, frozen=True):
    """A file or distribution that a pin is read from."""

    kind: SourceKind
    name: str
    """Distribution name, or a path relative to the configuration."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


class PinSetting(Struct, frozen=True, kw_only=True):
    """One ``[[pins]]`` entry. Exactly one of ``ref`` and ``source`` is set."""

    name: str
    upstream: str
    """``owner/name``."""
    git: str
    """Address of the remote; GitHub's unless set."""
    ref: str | None = None
    """Sha, tag, branch or version number as written."""
    source: PinSource | None = None
    python: Path | None = None
    """Interpreter whose site-packages ``installed:`` reads; None means the active environment."""
    since: datetime | str | None = None
    """History before the pin to keep: a time or a ref; None means the default."""
    patches: tuple[str, ...] = ()
    """Glob patterns of carried patches, relative to the configuration."""
    branch: str | None = None
    """Tracked branch; None means the profile's."""
    api: str | None = "https://api.github.com"
    """Base address of GitHub's API; None means off."""
    paths: tuple[str, ...] = ()
    """Upstream directories whose diffs are read; empty means all."""


class UsageSettings(Struct, frozen=True, kw_only=True):
    """What the user runs, as far as it is told. Paths and globs are relative to the
    configuration.
    """

    config: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Upstream files the user relies on."""
    gpus: int | None = None
    hardware: Hardware | None = None


class ChannelSetting(Struct, frozen=True, kw_only=True):
    """One receiver of the digest. Addresses are for e-mail only; webhooks are secrets."""

    kind: ChannelKind
    sender: str = ""
    to: tuple[str, ...] = ()


class DigestSettings(Struct, frozen=True, kw_only=True):
    """When and where the digest goes, and what it holds."""

    at: time = time(9, 0)
    """Time of day in ``timezone``."""
    timezone: str = "UTC"
    tier: Tier = Tier.LIKELY
    """Lowest tier that is shown."""
    channels: tuple[ChannelSetting, ...] = ()
    all_quiet: AllQuiet = AllQuiet.NEVER
    limit: int = 20
    """Items shown before the rest is only counted."""


class ScheduleSettings(Struct, frozen=True, kw_only=True):
    """How often the service syncs, and when knowledge counts as old."""

    sync_every: timedelta = timedelta(hours=6)
    stale_after: timedelta = timedelta(days=3)


class WebSettings(Struct, frozen=True, kw_only=True):
    """Where the web page listens."""

    host: str = "127.0.0.1"
    port: int = 8765
    url: str | None = None
    """Address for links in mail; None means ``http://host:port``."""
    user_header: str | None = None
    """Header in which a trusted reverse proxy names the user."""


class IgnoreSetting(Struct, frozen=True, kw_only=True):
    """An item that the user does not want to see, and until when."""

    item: str
    reason: str = ""
    until: date | IgnoreEnd | None = None
    """None means for good."""


class Secrets(Struct, frozen=True, kw_only=True):
    """Secrets of the environment; None when not set."""

    github_token: SecretText | None = None
    smtp_url: SecretText | None = None
    slack_webhook: SecretText | None = None
    feishu_webhook: SecretText | None = None
    web_token: SecretText | None = None


class Settings(Struct, frozen=True, kw_only=True):
    """Everything the user configures, validated."""

    origin: Path
    """The file it was read from."""
    store: StoreSettings
    pins: tuple[PinSetting, ...] = ()
    usage: UsageSettings = UsageSettings()
    digest: DigestSettings = DigestSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    web: WebSettings = WebSettings()
    ignore: tuple[IgnoreSetting, ...] = ()
    profiles: dict[str, dict[str, object]] = field(default_factory=dict)
    """Overlays by profile name, unparsed."""
    advisories: tuple[str, ...] = ()
    """The user's own advisory files (paths or globs, relative to the configuration)."""
    secrets: Secrets = Secrets()

    @property
    def root(self) -> Path:
        """Directory that relative paths start from."""
        return self.origin.parent
