"""The saved line-lineage states of one upstream. A declaration, no I/O."""

from __future__ import annotations

from typing import Protocol


class LineageFiles(Protocol):
    """The line-lineage states of one upstream, files beside the mirror."""

    def has(self, key: str) -> bool:
        """True when a state is saved under a key; whether it can be read is seen on loading."""
        ...

    def load(self, key: str) -> bytes | None:
        """The state saved under a key, or None."""
        ...

    def save(self, key: str, state: bytes) -> None:
        """Write beside and rename; other keys are removed later by ``keep_only``."""
        ...

    def keep_only(self, key: str) -> None:
        """Remove the states of other keys."""
        ...
