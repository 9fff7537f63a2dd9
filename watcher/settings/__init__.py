"""What the user configures: ``watcher.toml`` and the environment -> a frozen ``Settings``. Pure."""

from watcher.settings.locate import find_config, locate_config
from watcher.settings.parse import parse_settings
from watcher.settings.records import (
    AllQuiet,
    ChannelKind,
    ChannelSetting,
    DigestSettings,
    Hardware,
    IgnoreEnd,
    IgnoreSetting,
    PinSetting,
    PinSource,
    ScheduleSettings,
    Secrets,
    SecretText,
    Settings,
    SourceKind,
    StoreSettings,
    UsageSettings,
    WebSettings,
)

__all__ = [
    "AllQuiet",
    "ChannelKind",
    "ChannelSetting",
    "DigestSettings",
    "Hardware",
    "IgnoreEnd",
    "IgnoreSetting",
    "PinSetting",
    "PinSource",
    "ScheduleSettings",
    "SecretText",
    "Secrets",
    "Settings",
    "SourceKind",
    "StoreSettings",
    "UsageSettings",
    "WebSettings",
    "find_config",
    "locate_config",
    "parse_settings",
]
