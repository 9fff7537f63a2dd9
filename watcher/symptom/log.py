"""A log as an iterator of lines -> the parts of a symptom, in bounded memory.

Pure. Lines of several processes may be interleaved: each prefix is a stream of its own. What grows
with the log is bounded: the first and last distinct errors and tracebacks and the last other lines
stay.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar

from msgspec import Struct, field

from watcher.facts.symptom import Frame
from watcher.symptom.environment import find_versions, may_state_version
from watcher.symptom.errors import (
    is_exception,
    is_follower,
    is_native_error,
    is_noise,
    may_be_message,
)
from watcher.symptom.frames import find_boxed_code, find_frame, find_places
from watcher.symptom.lines import MAX_LINE, LogLine, clean_line
from watcher.symptom.settings import find_settings

MAX_STREAMS: Final = 256
MAX_SETTINGS: Final = 300
MAX_LOOKED_INTO: Final = 30_000
MAX_OTHER_LINES: Final = 60
MAX_OTHER_LINE: Final = 400
_TAIL: Final = 400
_ENDS: Final = 150
_MAX_ERROR: Final = 600
_PATIENCE: Final = 60
"""Lines of one stream after which an unfinished traceback is given up."""

_FAULTS: Final = (
    'File "', "rror", "raceback", "xception", "│", "ERR", "FATAL", "CRITICAL", "terminate",
    "what()", " fault", "Fault", "NCCL", "CUDA", "Assert", "Killed", "SIG", "HCCL", "Bus ",
    "undefined", ".py)", "imeout", "NotFound", "Dead", "Died", "Abort", "core dumped",
)  # fmt: skip
"""A line without any of these tells no fault, unless a traceback is open."""
_FACTS: Final = (
    ".py", ".cu", ".cpp", ".cc:", ".h:", "ersion", "=", "--",
)  # fmt: skip
"""A line without any of these tells no place, setting or version."""
Item = TypeVar("Item")
_DIGITS = re.compile(r"\d+|0x[0-9a-f]+")


class LogFacts(Struct, frozen=True, kw_only=True):
    """What a log says, in order of appearance."""

    errors: tuple[str, ...] = ()
    followers: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    code: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()


def read_log(lines: Iterable[str]) -> LogFacts:
    """The facts of a log. Linear in its size; memory does not grow with it."""
    reader = _Reader()
    for raw in lines:
        for part in raw.split("\r") if "\r" in raw else (raw,):
            reader.read(part)
    return reader.facts()


class _Ends(Generic[Item]):
    """The first and the last distinct items of a long row."""

    __slots__ = ("_first", "_last")

    def __init__(self) -> None:
        self._first: dict[object, Item] = {}
        self._last: dict[object, Item] = {}

    def add(self, key: object, item: Item) -> None:
        if key in self._first:
            return
        if len(self._first) < _ENDS:
            self._first[key] = item
            return
        self._last.pop(key, None)
        self._last[key] = item
        if len(self._last) > _ENDS:
            del self._last[next(iter(self._last))]

    def __iter__(self) -> Iterator[Item]:
        yield from self._first.values()
        yield from self._last.values()


class _Stream(Struct):
    """Where one process is in its traceback."""

    in_traceback: bool = False
    expects_code: bool = False
    after_frame: bool = False
    idle: int = 0


class _Reader(Struct):
    """The state of the reading."""

    streams: dict[str, _Stream] = field(default_factory=dict)
    open_streams: int = 0
    errors: _Ends[str] = field(default_factory=_Ends)
    followers: _Ends[str] = field(default_factory=_Ends)
    frames: _Ends[Frame] = field(default_factory=_Ends)
    code: _Ends[str] = field(default_factory=_Ends)
    settings: dict[tuple[str, str], None] = field(default_factory=dict)
    versions: dict[tuple[str, str], None] = field(default_factory=dict)
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL))
    looked_into: int = 0

    def read(self, raw: str) -> None:
        """Take one raw line."""
        raw = raw[:MAX_LINE]
        if not (self.open_streams or any(mark in raw for mark in _FAULTS) or self._tells(raw)):
            self.tail.append(raw)
            return
        line = clean_line(raw)
        if not line.text or line.text.isspace():
            return
        stream = self._stream(line.stream)
        after_frame, stream.after_frame = stream.after_frame, False
        if not self._read_traceback(line, stream, after_frame=after_frame):
            self._read_other(raw, line)

    def _tells(self, raw: str) -> bool:
        """True for a line to look into for places, settings, versions; only so many are."""
        if self.looked_into >= MAX_LOOKED_INTO or not any(mark in raw for mark in _FACTS):
            return False
        self.looked_into += 1
        return True

    def facts(self) -> LogFacts:
        """What was read."""
        return LogFacts(
            errors=tuple(self.errors),
            followers=tuple(self.followers),
            frames=tuple(self.frames),
            code=tuple(self.code),
            settings=tuple(self.settings),
            lines=self._other_lines(),
            versions=tuple(self.versions),
        )

    def _stream(self, name: str) -> _Stream:
        if name not in self.streams and len(self.streams) >= MAX_STREAMS:
            name = ""
        return self.streams.setdefault(name, _Stream())

    def _read_traceback(self, line: LogLine, stream: _Stream, *, after_frame: bool) -> bool:
        """Handle a line that belongs to a traceback or error; False when it is another line."""
        text = line.text
        if frame := find_frame(text):
            self.frames.add((frame.path, frame.function, frame.line), frame)
            self._open(stream)
            stream.expects_code = stream.after_frame = True
            return True
        if code := find_boxed_code(text):
            self.code.add(code, code)
            return True
        if is_exception(text) or is_native_error(text):
            self._add_error(text)
            self._add_places(text)
            self._close(stream)
            return True
        if text.lstrip().startswith("Traceback"):
            self._open(stream)
            return True
        if stream.expects_code and text.startswith("  "):
            stream.expects_code, stream.after_frame = False, True
            self.code.add(text.strip(), text.strip()[:_MAX_ERROR])
            return True
        if after_frame and stream.in_traceback and may_be_message(text):
            self._add_error(text)
            self._close(stream)
            return True
        stream.expects_code = False
        self._wait(stream)
        return False

    def _open(self, stream: _Stream) -> None:
        if not stream.in_traceback:
            stream.in_traceback = True
            self.open_streams += 1
        stream.idle = 0

    def _close(self, stream: _Stream) -> None:
        if stream.in_traceback:
            stream.in_traceback = False
            self.open_streams -= 1
        stream.expects_code = stream.after_frame = False

    def _wait(self, stream: _Stream) -> None:
        stream.idle += 1
        if stream.idle > _PATIENCE:
            self._close(stream)

    def _add_error(self, text: str) -> None:
        text = text.strip()[:_MAX_ERROR]
        ends = self.followers if is_follower(text) else self.errors
        ends.add(_DIGITS.sub("0", text), text)

    def _add_places(self, text: str) -> None:
        if ".py:" in text or ".c" in text or ".h" in text:
            for place in find_places(text):
                self.frames.add((place.path, "", place.line), place)

    def _read_other(self, raw: str, line: LogLine) -> None:
        """A line outside tracebacks: places, settings, versions, loud messages."""
        text = line.text
        self._add_places(text)
        if len(self.settings) < MAX_SETTINGS and ("=" in text or "--" in text):
            for pair in find_settings(text):
                if len(self.settings) < MAX_SETTINGS:
                    self.settings[pair] = None
        if len(self.versions) < MAX_SETTINGS and may_state_version(text):
            self.versions.update(dict.fromkeys(find_versions(text)))
        if line.is_loud and not text[0].isspace():
            self._add_error(text)
        else:
            self.tail.append(raw)

    def _other_lines(self) -> tuple[str, ...]:
        kept: deque[str] = deque(maxlen=MAX_OTHER_LINES)
        for raw in self.tail:
            text = clean_line(raw).text.strip()
            if text and len(text) < MAX_OTHER_LINE and not is_noise(text):
                kept.append(text)
        return tuple(kept)
