"""One process at a time: a lock file beside the mirrors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from watcher.errors import StoreError


@contextmanager
def alone(path: Path, *, seconds: float = 3_600.0) -> Iterator[None]:
    """Hold a lock file; a second process waits. Raises StoreError when it waits too long."""
    from filelock import FileLock, Timeout  # brings asyncio: an idle sync does not pay for it

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path, timeout=seconds):
            yield
    except Timeout:
        raise StoreError(
            "another process is reading this upstream's history",
            where=str(path),
            mend="wait until it is done, or stop it",
        ) from None
