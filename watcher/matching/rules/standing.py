"""What a change is, whoever runs it: its kind, its files' roles, and who else cared for it.

Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.facts.kind import Kind
from watcher.facts.links import Links
from watcher.matching.document import code_files, has_code
from watcher.matching.rules.signal import Signal

_QUIET_KINDS = frozenset({Kind.DOCS, Kind.CI, Kind.TEST})


def standing_signals(change: Change, links: Links | None) -> Iterator[Signal]:
    """Priors of a change: kind, breadth, role of files, back-ports, linked reports."""
    kind = change.message.kind
    # That a fix is a fix is no news: it goes into the constant that is shown.
    detail = "" if kind is Kind.FIX else f"is called a {kind.value}, not a fix"
    yield Signal(f"kind_{kind.value}", 1.0, EvidenceKind.SCOPE, detail)
    breadth = math.log(1 + len(code_files(change.diff.files)))
    yield Signal("breadth", breadth, EvidenceKind.SCOPE, "")
    if not has_code(change.diff.files):
        roles = sorted({file.role.value for file in change.diff.files}) or ["no file"]
        detail = f"touches {' and '.join(roles)} only, nothing that runs"
        yield Signal("no_code", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.UNLIKELY)
    elif kind in _QUIET_KINDS:
        detail = f"is a {kind.value} change"
        yield Signal("quiet_kind", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.UNLIKELY)
    if change.message.closes:
        number = change.message.closes[0]
        yield Signal("closes_issue", 1.0, EvidenceKind.ISSUE, f"mends the reported issue #{number}")
    if links is not None and links.equivalents:
        yield Signal(
            "backported", 1.0, EvidenceKind.BACKPORT, "was taken to a release branch by maintainers"
        )
    if links is not None and links.follow_ups:
        yield Signal("followed_up", 1.0, EvidenceKind.BACKPORT, "was completed by later changes")
