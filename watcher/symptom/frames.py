"""A log line -> the stack frame that it names; frames -> the upstream's files.

Pure. Python tracebacks, faulthandler, py-spy, Rich boxes and ``file.cpp:12`` places.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from watcher.facts.symptom import Frame

_PYTHON = re.compile(r'File "([^"]{1,400})", line (\d{1,9})(?:,? in ([\w<>.]{1,200}))?')
_PY_SPY = re.compile(r"\s+([\w<>.]{1,200}) \(([\w./-]{1,400}\.py):(\d{1,9})\)")
_BOXED = re.compile(r"[│|]\s+(\S{1,400}\.py):(\d{1,9}) in ([\w<>.]{1,200}+)\s*+[│|]?\s*$")
_BOXED_CODE = re.compile(r"[│|] ❱\s{0,20}\d{1,9} [│|]?")
_LONGEST_CODE = 300
_PLACE = re.compile(
    r"(?<![\w./-])([\w./-]++)"
    r"(?:(?<=\.py)|(?<=\.cu)|(?<=\.cpp)|(?<=\.cc)|(?<=\.cuh)|(?<=\.hpp)|(?<=\.h)):(\d{1,9})"
)
_INSTALLED = re.compile(r"/(?:site|dist)-packages/([A-Za-z_]\w{0,60})[/.]")


def find_frame(text: str) -> Frame | None:
    """The frame that a traceback line states, or None."""
    if match := _PYTHON.search(text):
        return Frame(match.group(1), match.group(3) or "", int(match.group(2)))
    if match := _PY_SPY.match(text):
        return Frame(match.group(2), match.group(1), int(match.group(3)))
    if match := _BOXED.match(text):
        return Frame(match.group(1), match.group(3), int(match.group(2)))
    return None


def find_boxed_code(text: str) -> str | None:
    """The marked source line inside a Rich box, or None."""
    match = _BOXED_CODE.match(text)
    if match is None:
        return None
    code = text[match.end() :].rstrip()
    code = code[:-1].strip() if code.endswith(("│", "|")) else code.strip()
    return code if len(code) <= _LONGEST_CODE else None


def find_places(text: str) -> list[Frame]:
    """Source places that a line mentions in passing (``csrc/x.cu:92``)."""
    return [Frame(path, "", int(line)) for path, line in _PLACE.findall(text) if "/" in path][:20]


def installed_package(path: str) -> str | None:
    """The package of an installed file, ``vllm`` for ``…/site-packages/vllm/utils.py``."""
    match = _INSTALLED.search(path)
    return match.group(1) if match else None


class PathIndex:
    """Upstream paths by file name, to find the file that a frame of any install prefix means."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: defaultdict[str, set[str]] = defaultdict(set)
        for path in paths:
            self._by_name[path.rsplit("/", 1)[-1]].add(path)

    def locate(self, path: str) -> str | None:
        """The upstream path with the longest common ending of two parts or more; None when several
        fit.
        """
        parts = path.replace("\\", "/").strip("/").split("/")
        known = self._by_name.get(parts[-1])
        if not known:
            return None
        for start in range(len(parts) - 1):
            ending = "/".join(parts[start:])
            fitting = [one for one in known if one == ending or one.endswith("/" + ending)]
            if ending in fitting:
                return ending
            if fitting:
                return fitting[0] if len(fitting) == 1 else None
        return None


def map_frames(frames: Sequence[Frame], paths: PathIndex) -> tuple[Frame, ...]:
    """The frames that lie in an upstream, with the upstream's own paths, order kept."""
    located = ((paths.locate(frame.path), frame) for frame in frames)
    return tuple(
        Frame(path, frame.function, frame.line) for path, frame in located if path is not None
    )
