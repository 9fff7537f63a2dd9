"""Line-lineage states as files in one directory; a reader never sees half a file.

A state is written beside its final name, forced to disk and renamed. It is derived data: whatever
is missing is built again by the next sync.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from watcher.errors import StoreError

_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_SUFFIX: Final = ".lineage"
_UNFINISHED: Final = ".lineage-part"


class DirectoryLineageFiles:
    """``ports.LineageFiles`` in a directory of their own, made when first written."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def has(self, key: str) -> bool:
        """True when a state is saved under a key."""
        return self._file(key).exists()

    def load(self, key: str) -> bytes | None:
        """The state saved under a key, or None. Raises StoreError when it cannot be read."""
        file = self._file(key)
        with _told(file):
            try:
                return file.read_bytes()
            except FileNotFoundError:
                return None

    def save(self, key: str, state: bytes) -> None:
        """Save a state under a key, whole or not at all. Raises StoreError."""
        file = self._file(key)
        with _told(file):
            self._directory.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=self._directory)
            beside = Path(name)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(state)
                    stream.flush()
                    os.fsync(stream.fileno())
                beside.replace(file)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise

    def keep_only(self, key: str) -> None:
        """Remove the states of other keys and what a killed writer left behind."""
        kept = self._file(key)
        with _told(self._directory):
            for pattern in (f"*{_SUFFIX}", f"*{_UNFINISHED}"):
                for file in self._directory.glob(pattern):
                    if file != kept:
                        file.unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise StoreError("not a name for a state", where=key[:80], mend="run `watcher sync`")
        return self._directory / f"{key}{_SUFFIX}"


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"the lineage state cannot be used: {error.strerror or error}",
            where=str(path),
            mend="free some space or give write permission; it may be deleted at any time",
        ) from error
