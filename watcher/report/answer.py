"""What a use case answers, and its rendering to the JSON contract ``watcher/1``.

Pure. Keys may be added, never renamed; what does not apply is null. Every face (terminal, HTTP,
MCP, digest) reads the same records.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from watcher.facts.item import Evidence, Item, Route
from watcher.facts.symptom import Symptom

SCHEMA: Final = "watcher/1"


class PinStatus(Struct, frozen=True, kw_only=True):
    """Where one pin stands."""

    name: str
    upstream: str
    ref: str
    sha: str | None = None
    reason: str | None = None
    """Why the pin is not resolved, with the mend."""
    committed_at: datetime | None = None
    head: str | None = None
    behind: int | None = None
    """Changes on the tracked branch after the pin's fork point."""
    fixes_behind: int | None = None
    synced_at: datetime | None = None
    known_until: datetime | None = None
    stale: bool = True
    """True when never synced or when the last good sync is older than ``schedule.stale_after``."""
    branch: str | None = None
    """Release branch that holds the pin."""
    fork_point: str | None = None
    carried: int = 0
    """Commits on top of the fork point."""
    carried_fixes: tuple[str, ...] = ()
    """Items that the pin already has by backport."""
    note: str | None = None
    renamed_to: str | None = None
    """The name that GitHub has for the upstream now, when the pin still says an earlier one."""


class Answer(Struct, frozen=True, kw_only=True):
    """The answer of ``list``, ``check``, ``show`` or ``upgrade``."""

    command: str
    generated_at: datetime
    pins: tuple[PinStatus, ...]
    items: tuple[Item, ...] = ()
    symptom: Symptom | None = None
    suspects: tuple[Item, ...] = ()
    collapsed: tuple[tuple[str, int], ...] = ()
    """(reason, count) of what is not shown."""
    no_match: bool = False
    not_watched: tuple[str, ...] = ()
    searched_changes: int = 0
    searched_issues: int = 0
    notes: tuple[str, ...] = ()
    """What the reader must know before believing the answer (stale, unresolved, missing words)."""

    @property
    def is_stale(self) -> bool:
        """True when any pin was never synced or synced too long ago."""
        return any(pin.stale for pin in self.pins)


def timestamp(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with a ``Z``, seconds precision."""
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def answer_json(answer: Answer) -> dict[str, object]:
    """The whole answer by the contract."""
    return {
        "schema": SCHEMA,
        "command": answer.command,
        "generated_at": timestamp(answer.generated_at),
        "pins": [pin_json(pin) for pin in answer.pins],
        "symptom": None if answer.symptom is None else symptom_json(answer.symptom),
        "items": [item_json(item, rank) for rank, item in enumerate(answer.items, 1)],
        "suspects": [item_json(item, rank) for rank, item in enumerate(answer.suspects, 1)],
        "collapsed": dict(answer.collapsed),
        "no_match": answer.no_match,
        "not_watched": list(answer.not_watched),
        "searched": {"changes": answer.searched_changes, "issues": answer.searched_issues},
        "notes": list(answer.notes),
    }


def pin_json(pin: PinStatus) -> dict[str, object]:
    """One pin by the contract."""
    return {
        "name": pin.name,
        "upstream": pin.upstream,
        "ref": pin.ref,
        "sha": pin.sha,
        "reason": pin.reason,
        "committed_at": timestamp(pin.committed_at),
        "head": pin.head,
        "behind": pin.behind,
        "fixes_behind": pin.fixes_behind,
        "synced_at": timestamp(pin.synced_at),
        "known_until": timestamp(pin.known_until),
        "stale": pin.stale,
        "branch": pin.branch,
        "fork_point": pin.fork_point,
        "carried": pin.carried,
        "carried_fixes": list(pin.carried_fixes),
        "note": pin.note,
        "renamed_to": pin.renamed_to,
    }


def symptom_json(symptom: Symptom) -> dict[str, object]:
    """What was understood of a symptom."""
    return {
        "errors": list(symptom.errors),
        "frames": [{"path": f.path, "function": f.function} for f in symptom.frames],
        "config": [f"{key}={value}" for key, value in symptom.config],
        "words": symptom.text.split(),
    }


def item_json(item: Item, rank: int) -> dict[str, object]:
    """One item by the contract."""
    return {
        "rank": rank,
        "id": item.id,
        "pin": item.pin,
        "kind": item.kind.value,
        "number": item.number,
        "sha": item.sha,
        "title": item.title,
        "url": item.url,
        "merged_at": timestamp(item.merged_at),
        "opened_at": timestamp(item.opened_at),
        "state": None if item.state is None else item.state.value,
        "mended_by": item.mended_by,
        "presence": item.presence.value,
        "presence_detail": item.presence_detail,
        "introduced_by": item.introduced_by,
        "withdrawn_by": item.withdrawn_by,
        "tier": None if item.tier is None else item.tier.value,
        "score": None if item.score is None else round(item.score, 4),
        "constant": round(item.constant, 4),
        "evidence": [evidence_json(one) for one in item.evidence],
        "family": list(item.family),
        "first_release": item.first_release,
        "routes": [route_json(route) for route in item.routes],
        "facets": list(item.facets),
        "files": list(item.files),
    } | dict(item.extra)


def evidence_json(evidence: Evidence) -> dict[str, object]:
    """One reason by the contract."""
    return {
        "kind": evidence.kind.value,
        "weight": round(evidence.weight, 3),
        "detail": evidence.detail,
    }


def route_json(route: Route) -> dict[str, object]:
    """One route by the contract."""
    return {
        "kind": route.kind.value,
        "rebuild": route.rebuild,
        "detail": route.detail,
        "commands": list(route.commands),
        "conflicts": list(route.conflicts),
        "prerequisites": list(route.prerequisites),
        "warnings": list(route.warnings),
    }
