"""Decides how much of an upstream's history a sync has to read. Pure.

The walk starts anew when what is stored cannot be continued: another base, another branch, a
rewritten head, parsers of another version, a lost line table.
"""

from __future__ import annotations

from msgspec import Struct

from watcher.ports.mirror import MirrorState
from watcher.ports.walk import Walk


class WalkPlan(Struct, frozen=True, kw_only=True):
    """What to read."""

    restart: bool
    start: str | None
    """Commit after which to read; None for the root."""
    is_current: bool = False
    """True when nothing has changed upstream."""
    reason: str = ""
    """Why the walk starts anew, for the user; empty for a first walk."""


def plan_walk(
    stored: Walk | None,
    state: MirrorState,
    *,
    facts_version: int,
    has_lineage: bool,
    head_continues: bool,
) -> WalkPlan:
    """The plan for one upstream.

    Args:
        stored: The last completed walk.
        state: What the mirror holds now.
        facts_version: Version of today's parsers.
        has_lineage: True when there is a line table of the stored head.
        head_continues: True when the new head holds the stored one.
    """
    anew = WalkPlan(restart=True, start=state.base)
    if stored is None:
        return anew
    reason = _why_anew(stored, state, facts_version)
    if not reason and not head_continues:
        reason = f"{state.branch} was rewritten"
    if not reason and not has_lineage:
        return lost_line_table(state)
    if reason:
        return WalkPlan(restart=True, start=state.base, reason=reason)
    is_current = (
        stored.head == state.head
        and stored.tags == state.tags
        and stored.release_branches == state.release_branches
    )
    return WalkPlan(restart=False, start=stored.head, is_current=is_current)


def lost_line_table(state: MirrorState) -> WalkPlan:
    """The plan when the line table of the stored head is missing or unreadable."""
    return WalkPlan(restart=True, start=state.base, reason="the line table is gone")


def _why_anew(stored: Walk, state: MirrorState, facts_version: int) -> str:
    if stored.branch != state.branch:
        return f"the tracked branch is now {state.branch}"
    if stored.base != state.base:
        return "the mirrored range starts elsewhere"
    if stored.facts_version != facts_version:
        return "watcher reads more facts than before"
    return ""
