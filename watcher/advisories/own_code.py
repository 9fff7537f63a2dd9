"""An error raised in a file of the user's own, told as such. Pure.

Where the traceback ends says whose code it is: outside installed packages, the standard library
and every upstream, it is the user's.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from watcher.advisories.record import Advisory, AdvisoryMatch, Confidence, Severity
from watcher.facts.symptom import Frame, Symptom
from watcher.symptom.parse import PACKAGES

_NOT_OWN: Final = re.compile(
    r"site-packages|dist-packages|/lib(?:64)?/python\d|^<|^/usr/|/ray/session|/tmp/ray"
    r"|/\.vscode|/\.cache/|ipykernel|/bin/[\w-]+\Z"
)
_MISTAKE: Final = re.compile(
    r"\s{0,40}(?:[\w.]{1,80}\.)?(KeyError|AttributeError|NameError|TypeError|IndexError|ValueError"
    r"|FileNotFoundError|UnboundLocalError|ZeroDivisionError|AssertionError|ImportError"
    r"|ModuleNotFoundError|RuntimeError|NotImplementedError|RecursionError|JSONDecodeError)\b"
)


def own_code_match(symptom: Symptom, modules: Collection[str] = ()) -> AdvisoryMatch | None:
    """A weak advisory when the innermost frame lies in the user's own file.

    ``modules`` are packages that are followed, beside the well-known ones.
    """
    error = next((one for one in reversed(symptom.errors) if _MISTAKE.match(one)), None)
    frame = symptom.frames[-1] if symptom.frames else None
    if error is None or frame is None or not frame.function or not is_own(frame, modules):
        return None
    place = f"{frame.path}:{frame.line}" if frame.line else frame.path
    advisory = Advisory(
        slug="raised-in-own-file",
        title=f"The error is raised in your own file {place}",
        remedy="Look at that line first; search upstream when it only passes on what came back.",
        source="where the traceback ends",
        confidence=Confidence.REPORTED,
        severity=Severity.CRASH,
        is_last=True,
    )
    reason = f"the innermost frame is {place}, in {frame.function}"
    return AdvisoryMatch(advisory=advisory, strength=1.0, quote=error, reasons=(reason,))


def is_own(frame: Frame, modules: Collection[str] = ()) -> bool:
    """True for a Python file outside installed packages, the standard library and upstreams."""
    if not frame.path.endswith(".py") or _NOT_OWN.search(frame.path):
        return False
    folders = frame.path.lower().split("/")[:-1]
    return not any(part in PACKAGES or part in modules for part in folders)
