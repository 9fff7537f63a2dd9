"""Every error that watcher raises on purpose: one tree, data as attributes, one line of text each.

    WatcherError
    ├── ConfigError        a file, a key, what to write instead           exit 2
    ├── UsageError         a command line that cannot be meant            exit 2
    ├── RangeError         a ref or date outside the mirrored range       exit 2
    ├── MirrorError        git or the remote failed                       exit 1
    ├── RemoteError        GitHub or another HTTP service failed          exit 1
    ├── StoreError         the database cannot be used                    exit 1
    └── DeliveryError      a channel refused a message                    exit 1

Pure; third-party errors are mapped to these inside the adapters.
"""

from __future__ import annotations


class WatcherError(Exception):
    """Base of all. ``str(error)`` is one line: what, where, how to mend."""

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", mend: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.mend = mend

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head} ({self.mend})" if self.mend else head


class ConfigError(WatcherError):
    """A configuration file or key that cannot be used."""

    exit_status = 2


class UsageError(WatcherError):
    """A command line that cannot be meant."""

    exit_status = 2


class RangeError(WatcherError):
    """A ref or a date outside the mirrored range."""

    exit_status = 2


class MirrorError(WatcherError):
    """git or the remote failed."""


class RemoteError(WatcherError):
    """GitHub or another HTTP service failed."""


class StoreError(WatcherError):
    """The database cannot be used."""


class DeliveryError(WatcherError):
    """A channel refused a message."""

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        mend: str = "",
        is_permanent: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(what, where=where, mend=mend)
        self.is_permanent = is_permanent
        """True when trying again cannot help."""
        self.retry_after_seconds = retry_after_seconds
        """How long the receiver asks to wait, where it says so."""
