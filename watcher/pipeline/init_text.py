"""What ``watcher init`` found -> the text of a commented ``watcher.toml``. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from watcher.pipeline.init_usage import FoundUsage
from watcher.settings import PinSource

_TOO_MANY = 12
"""More entries than this cannot all be what one run uses: they are listed, not taken."""
_SHOWN = 30

_HEAD = """\
# What this project pins, runs and wants to hear about. Written by "watcher init"; edit freely.
# Next: "watcher sync", then "watcher list".

[store]
url = "sqlite:///watcher.db"
mirrors = ".watcher/mirrors"
"""

_NO_PIN = """
# No pin of a known upstream was found. Name one:
# [[pins]]
# name = "verl"
# upstream = "verl-project/verl"
# ref = "v0.8.0"                # sha, tag, or branch (its tip, which moves)
"""

_TAIL = """
# [digest]
# at = "09:00"
# timezone = "UTC"
# channels = [{ type = "email", from = "watcher@example.org", to = ["you@example.org"] }]

# [schedule]
# sync_every = "6h"
"""


class DetectedPin(Struct, frozen=True, kw_only=True):
    """A pin to write, and what was seen."""

    name: str
    upstream: str
    source: PinSource
    found: str
    """The ref with its place, or why there is none and the mend."""
    is_active: bool
    """False for one that is only suggested."""
    fork: str | None = None
    others: tuple[str, ...] = ()
    """What else names this upstream."""


class InitResult(Struct, frozen=True, kw_only=True):
    """What was found in a project."""

    root: Path
    pins: tuple[DetectedPin, ...]
    usage: FoundUsage


def render_config(result: InitResult) -> str:
    """The text of a ``watcher.toml`` that says where each entry came from."""
    active = [pin for pin in result.pins if pin.is_active]
    suggested = [pin for pin in result.pins if not pin.is_active]
    parts = [_HEAD]
    parts += ["\n" + "".join(_pin_lines(pin)) for pin in active]
    if not active:
        parts.append(_NO_PIN)
    if suggested:
        parts.append("\n# Also seen here. To watch one, remove the # and keep the right source:\n")
        parts += [_commented(_pin_lines(pin)) for pin in suggested]
    parts += ["\n", *_usage_lines(result.usage), _TAIL]
    return "".join(parts)


def _pin_lines(pin: DetectedPin) -> Iterator[str]:
    yield f"[[pins]]\n# {_comment(pin.found)}\n"
    if pin.fork:
        yield f"# from the fork {_comment(pin.fork)}\n"
    for other in pin.others[:5]:
        yield f"# also seen: {_comment(other)}\n"
    if len(pin.others) > 5:
        yield f"# and {len(pin.others) - 5} more places\n"
    yield f"name = {_quoted(pin.name)}\nupstream = {_quoted(pin.upstream)}\n"
    yield f"source = {_quoted(str(pin.source))}\n"


def _usage_lines(usage: FoundUsage) -> Iterator[str]:
    yield "[usage]\n"
    yield from _list("config", usage.config, "launch scripts and Hydra YAML")
    yield from _list("code", usage.code, "directories that import an upstream")
    yield '# keywords = ["offload"]\n'
    if usage.gpus is not None:
        yield f"gpus = {usage.gpus}  # {_comment(usage.gpus_from)}\n"
    else:
        yield "# gpus = 8\n"
    yield '# hardware = "cuda"           # cuda | rocm | npu | xpu | tpu | cpu\n'


def _list(key: str, entries: Sequence[tuple[str, str]], what: str) -> Iterator[str]:
    if not entries:
        yield f"# {key} = []                   # none found: {what}\n"
        return
    mark = "# " if len(entries) > _TOO_MANY else ""
    if mark:
        yield f"# {len(entries)} found ({what}): keep those that you run\n"
    yield f"{mark}{key} = [\n"
    for path, why in entries[:_SHOWN]:
        yield f"{mark}    {_quoted(path)},  # {_comment(why)}\n"
    yield f"{mark}]\n"


def _commented(lines: Iterator[str]) -> str:
    return "".join(f"# {line}\n" for line in "".join(lines).splitlines())


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(_escaped(character) for character in escaped) + '"'


def _escaped(character: str) -> str:
    if character >= " " and character != "\x7f" and not "\ud800" <= character <= "\udfff":
        return character
    return f"\\u{ord(character):04X}" if character < "\ud800" else "?"


def _comment(text: str) -> str:
    """A text that may stand in a comment: one line, no control characters."""
    kept = (character if character.isprintable() else " " for character in text[:300])
    return "".join(kept)
