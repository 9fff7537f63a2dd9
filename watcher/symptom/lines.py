"""One raw log line -> its text without what launchers and loggers put before it.

Pure. Ray (``(WorkerDict pid=7)``), torchrun (``[rank0]:``), vLLM (``ERROR 11-25 03:26:13
[core.py:708]``), time stamps and ANSI colours go away; which process spoke and how loud is kept.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

MAX_LINE: Final = 2_000
"""Characters of a line that are looked at; longer lines are cut."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]{0,200}\x07|\[[0-9;]+m")
_PROCESS = re.compile(
    r"\s*(?:"
    r"\((?P<actor>[\w.:<>@/ -]{0,80}?\bpid=\d+)[^)]{0,120}\)"
    r"|\((?P<worker>(?:Worker|VllmWorker|EngineCore|APIServer|WorkerDict|TaskRunner)[^)]{0,80})\)"
    r"|\[(?P<rank>(?:rank|default)\d{1,6})\]:?"
    r"|(?P<task>\d{1,5}): (?=\s*(?:Traceback|File \"|\[rank))"
    r")[ ]?"
)
_LEVEL = re.compile(
    r"\s?(?:\[?\d{4}-\d\d-\d\d[ T][\d:,.]{1,40}Z?\]?[ \t]{0,40})?(?:- )?"
    r"(?:\[[\w.]+\]\s*)?(?:[\w.]+ - )?"
    r"\[?(?P<level>ERROR|INFO|WARNING|WARN|DEBUG|CRITICAL|FATAL)\b\]?[: ]?(?: -)?\s{0,4}"
    r"(?:\d\d-\d\d \d\d:\d\d:\d\d)?(?:\d{4}-\d\d-\d\d[ T][\d:,.]+[: ]?)?\s?"
    r"(?:\[[\w./]+:\d+\])?\s?"
)
_STAMP = re.compile(r"\s?\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[\d:,.]*Z?\]?\s?(?=\S)")
_GLOG = re.compile(r"(?:\[rank\d+\]:)?\[?(?P<level>[EFWI])\d{4} \d\d:\d\d:\d\d[^\]]{0,120}\]\s?")
_LOUD = frozenset({"ERROR", "CRITICAL", "FATAL", "E", "F"})


class LogLine(Struct, frozen=True):
    """A line as its program wrote it."""

    text: str
    """Without prefixes; leading blanks of the message kept, trailing ones gone."""
    stream: str
    """Which process wrote it, as its prefix names it; empty when unsaid."""
    is_loud: bool
    """True when a logger said ERROR or worse."""


def clean_line(raw: str) -> LogLine:
    """A raw line without colours, process prefixes, time stamps and levels."""
    text = raw[:MAX_LINE].rstrip()
    if "\x1b" in text or "m" in text:
        text = _ANSI.sub("", text)
    stream = ""
    for _ in range(3):
        match = _PROCESS.match(text)
        if not match:
            break
        stream = match.group("actor") or match.group("worker") or match.group("rank") or stream
        text = text[match.end() :]
    match = _LEVEL.match(text) or _GLOG.match(text)
    if match:
        return LogLine(text[match.end() :], stream, match.group("level") in _LOUD)
    stamp = _STAMP.match(text)
    return LogLine(text[stamp.end() :] if stamp else text, stream, is_loud=False)
