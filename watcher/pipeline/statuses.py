"""Where each pin stands: distance, what it already carries, up to when its upstream is known."""

from __future__ import annotations

from datetime import datetime, timedelta

from watcher.facts.kind import Kind
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.carried import CarriedReader
from watcher.pipeline.items import item_name
from watcher.pipeline.pinned import Pinned
from watcher.pipeline.upstream_name import renamed_to
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.report.answer import PinStatus


def pin_status(
    one: Pinned, store: Store, carried: CarriedReader, *, now: datetime, stale_after: timedelta
) -> PinStatus:
    """The status of one pin, resolved or not."""
    pin, walk = one.pin, one.walk
    synced_at = None if walk is None else walk.synced_at
    is_stale = synced_at is None or now - synced_at > stale_after
    if not isinstance(pin, ResolvedPin) or one.horizon is None:
        reason = "not resolved" if isinstance(pin, ResolvedPin) else f"{pin.reason} ({pin.mend})"
        return PinStatus(
            name=pin.name,
            upstream=pin.upstream,
            ref=pin.ref,
            reason=reason,
            head=None if walk is None else walk.head,
            synced_at=synced_at,
            known_until=None if walk is None else walk.head_at,
            stale=is_stale,
            renamed_to=renamed_to(store, pin.upstream),
        )
    which = ChangeFilter(after=pin.position, until=one.horizon.position, parts=frozenset())
    changes = store.changes(pin.upstream, which)
    contained = carried.contained(one, pin, one.horizon)
    names = [item_name(pin.name, c.number, c.sha) for c in changes if c.sha in contained]
    return PinStatus(
        name=pin.name,
        upstream=pin.upstream,
        ref=pin.ref,
        sha=pin.sha,
        committed_at=pin.committed_at,
        head=one.horizon.head,
        behind=len(changes),
        fixes_behind=sum(
            change.message.kind is Kind.FIX and change.sha not in contained for change in changes
        ),
        synced_at=synced_at,
        known_until=one.horizon.at,
        stale=is_stale,
        branch=pin.branch,
        fork_point=pin.fork_point,
        carried=len(pin.carried),
        carried_fixes=tuple(names),
        note=pin.note,
        renamed_to=renamed_to(store, pin.upstream),
    )
