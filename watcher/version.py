"""Which watcher this is, for those who talk to it. Reads the package's metadata."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def package_version() -> str:
    """The installed version; ``0`` for a copy that was never installed."""
    try:
        return version("watcher")
    except PackageNotFoundError:
        return "0"
