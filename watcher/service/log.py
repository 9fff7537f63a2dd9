"""The service's log: a line an event, JSON where no terminal reads it."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from watcher.report.escape import one_line

if TYPE_CHECKING:
    from typing import TextIO

_USUAL: Final = frozenset(logging.makeLogRecord({}).__dict__) | {
    "message", "asctime", "taskName", "color_message",
}  # fmt: skip
_LIMIT: Final = 2_000
_TRACE_LIMIT: Final = 8_000


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, event, and what the event names."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, object] = {
            "time": _time(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": one_line(record.getMessage(), _LIMIT),
            **_named(record),
        }
        if record.exc_info is not None:
            line["traceback"] = _trace(record)
        return json.dumps(line, ensure_ascii=False, default=str)


class PlainLines(logging.Formatter):
    """A line for people at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, with the traceback of an unexpected error below it."""
        named = " ".join(f"{key}={one_line(str(value))}" for key, value in _named(record).items())
        event = one_line(record.getMessage(), _LIMIT)
        line = f"{_time(record):%H:%M:%S} {record.levelname.lower():<7} {event} {named}".rstrip()
        return line if record.exc_info is None else f"{line}\n{_trace(record)}"


def set_up_log(stream: TextIO) -> None:
    """Send all logging of the process to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(PlainLines() if stream.isatty() else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in ("apscheduler", "httpx", "httpcore", "uvicorn.access"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _named(record: logging.LogRecord) -> dict[str, object]:
    return {key: value for key, value in record.__dict__.items() if key not in _USUAL}


def _trace(record: logging.LogRecord) -> str:
    kind, error, trace = record.exc_info or (None, None, None)
    return "".join(traceback.format_exception(kind, error, trace))[-_TRACE_LIMIT:]
