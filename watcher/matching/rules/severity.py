"""How bad a mended fault is: silent damage, then a crash, then a slowdown, then a message.

Pure. Read from the title first, then from the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind
from watcher.matching.rules.signal import Signal

_BODY_SHARE: Final = 0.5
"""What the description counts against the title."""
_READ: Final = 600
_LEVELS: Final = (
    (
        "severity_silent",
        "wrong results without an error",
        re.compile(
            r"silent|garbl|gibberish|corrupt|incorrect|wrong|\bnan\b|inaccura|mis-?align|mismatch"
            r"|stale|not (?:updated|synced|applied|loaded)|ignored|overwrit|diverg|precision"
            r"|numeric|leak(?:s|ed)? into",
            re.IGNORECASE,
        ),
    ),
    (
        "severity_crash",
        "a crash, a hang or memory running out",
        re.compile(
            r"crash|hang(?:s|ing)?\b|deadlock|\boom\b|out of memory|segfault|(?<=\w)error\b"
            r"|exception|fail(?:s|ed|ure|ing)?\b|stuck|abort|race condition|memory leak|assert",
            re.IGNORECASE,
        ),
    ),
    (
        "severity_slow",
        "a slowdown",
        re.compile(r"slow|performance|overhead|bottleneck|latency|throughput", re.IGNORECASE),
    ),
    (
        "severity_message",
        "a message or a figure shown",
        re.compile(
            r"warning|log(?:s|ging)?\b|metric|typo|message|wandb|tensorboard", re.IGNORECASE
        ),
    ),
)


def severity_signals(change: Change) -> Iterator[Signal]:
    """The worst thing that the title names, else the description."""
    for text, share in (
        (change.message.title, 1.0),
        (change.message.body[:_READ], _BODY_SHARE),
    ):
        for name, meaning, pattern in _LEVELS:
            if found := pattern.search(text):
                yield Signal(
                    name, share, EvidenceKind.SEVERITY, f"is about {meaning} ({found.group()!r})"
                )
                return
