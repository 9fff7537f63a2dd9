"""Secrets of the environment, each also as ``NAME_FILE``: variables in, ``Secrets`` out.

Pure; secret files are read by the callable that is handed in. Raises ConfigError, which never
holds a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from watcher.errors import ConfigError
from watcher.settings.records import Secrets, SecretText


def parse_secrets(
    environment: Mapping[str, str], *, read: Callable[[Path], str | None] | None = None
) -> Secrets:
    """The secrets that are set. Raises ConfigError for a secret file that cannot be read."""

    def secret(name: str) -> SecretText | None:
        return _secret(name, environment, read)

    return Secrets(
        github_token=secret("GITHUB_TOKEN"),
        smtp_url=secret("WATCHER_SMTP_URL"),
        slack_webhook=secret("WATCHER_SLACK_WEBHOOK"),
        feishu_webhook=secret("WATCHER_FEISHU_WEBHOOK"),
        web_token=secret("WATCHER_WEB_TOKEN"),
    )


def _secret(
    name: str, environment: Mapping[str, str], read: Callable[[Path], str | None] | None
) -> SecretText | None:
    value = environment.get(name, "").strip()
    file = environment.get(f"{name}_FILE", "").strip()
    if not value and file:
        text = read(Path(file)) if read and "\0" not in file else None
        value = (text or "").strip()
        if not value:
            what = f"{ascii(file)[:80]} is empty or cannot be read"
            raise ConfigError(
                what, where=f"{name}_FILE", mend=f"name a readable file or unset {name}_FILE"
            )
    if any(character < " " or character == "\x7f" for character in value):
        raise ConfigError("holds more than one line", where=name, mend="keep only the secret")
    return SecretText(value) if value else None
