"""What went wrong, as far as it was read. Pure records."""

from __future__ import annotations

from msgspec import Struct


class Frame(Struct, frozen=True):
    """One stack frame of a traceback, as written."""

    path: str
    function: str = ""
    line: int | None = None


class Symptom(Struct, frozen=True, kw_only=True):
    """What went wrong, from words, logs and overrides."""

    text: str = ""
    """The user's words, English or Chinese, as typed."""
    errors: tuple[str, ...] = ()
    """Root error lines, last one the innermost root."""
    followers: tuple[str, ...] = ()
    """Errors that only report another's death (RayTaskError, EngineDeadError...)."""
    frames: tuple[Frame, ...] = ()
    """In order of appearance, outermost first within a traceback."""
    code: tuple[str, ...] = ()
    """Source lines quoted by tracebacks."""
    config: tuple[tuple[str, str], ...] = ()
    """(key, value) overrides and flags from the log, the words and ``--set``."""
    lines: tuple[str, ...] = ()
    """Other log lines kept, the last ones."""
    versions: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()
    """Packages that the frames and lines name (vllm, sglang, ray...)."""
    gpus: int | None = None

    @property
    def is_empty(self) -> bool:
        """True when nothing usable was given."""
        return not (
            self.text.strip()
            or self.errors
            or self.followers
            or self.frames
            or self.config
            or self.lines
        )
