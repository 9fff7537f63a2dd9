"""What the last good update left, as a small JSON file inside the mirror. Written atomically."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import asdict

from watcher.facts.ref import Tag
from watcher.ports.mirror import MirrorState

FILE: Final = "watcher.json"
VERSION: Final = 1


class Saved(Struct, frozen=True, kw_only=True):
    """The state that callers see and what the next update needs."""

    state: MirrorState
    request: str
    """What was asked for, as text; another request is worked through again."""
    wanted: Mapping[str, str] = field(default_factory=dict)
    """Local ref -> commit."""
    cutoff: int | None = None
    """Commit time (epoch seconds) down to which history is held; None for all of it."""
    dates: Mapping[str, int] = field(default_factory=dict)
    """Commit -> commit time, of all refs that were ever considered."""
    lost: Sequence[str] = ()
    """Objects that the remote does not have."""


def save(directory: Path, saved: Saved) -> None:
    """Write the file beside and rename it."""
    state = saved.state
    record = {
        "version": VERSION,
        "request": saved.request,
        "wanted": dict(saved.wanted),
        "cutoff": saved.cutoff,
        "dates": dict(saved.dates),
        "lost": list(saved.lost),
        "state": {
            **asdict(state),
            "tags": [[tag.name, tag.sha, int(tag.committed_at.timestamp())] for tag in state.tags],
        },
    }
    beside = directory / f"{FILE}.new"
    beside.write_text(json.dumps(record, indent=1), encoding="utf-8")
    os.replace(beside, directory / FILE)  # noqa: PTH105  one word for an atomic rename


def load(directory: Path) -> Saved | None:
    """The saved state, or None when there is none or it cannot be read."""
    try:
        record = json.loads((directory / FILE).read_text(encoding="utf-8"))
        return _decode(record) if record["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None


def _decode(record: dict[str, object]) -> Saved:
    state = _mapping(record["state"])
    return Saved(
        state=MirrorState(
            head=str(state["head"]),
            branch=str(state["branch"]),
            base=None if state["base"] is None else str(state["base"]),
            tags=tuple(
                Tag(str(name), str(sha), datetime.fromtimestamp(int(str(at)), UTC))
                for name, sha, at in _rows(state["tags"])
            ),
            release_branches=_pairs(state["release_branches"]),
            missing_refs=_pairs(state["missing_refs"]),
            notes=tuple(str(note) for note in _list(state["notes"])),
        ),
        request=str(record["request"]),
        wanted={key: str(value) for key, value in _mapping(record["wanted"]).items()},
        cutoff=None if record["cutoff"] is None else int(str(record["cutoff"])),
        dates={key: int(str(value)) for key, value in _mapping(record["dates"]).items()},
        lost=tuple(str(oid) for oid in _list(record["lost"])),
    )


def _mapping(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _rows(value: object) -> list[list[object]]:
    return [_list(row) for row in _list(value)]


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(one), str(other)) for one, other in _rows(value))
