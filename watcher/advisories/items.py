"""Advisories that apply -> items beside the upstream's own. Pure."""

from __future__ import annotations

from watcher.advisories.record import AdvisoryMatch, Confidence
from watcher.facts.item import Evidence, EvidenceKind, Item, Tier
from watcher.facts.kind import Kind

_CERTAIN = {
    Confidence.CERTAIN: "certain",
    Confidence.USUAL: "the usual cause",
    Confidence.REPORTED: "reported by users, unverified",
}


def advisory_item(match: AdvisoryMatch, *, tier: Tier | None) -> Item:
    """The item of an advisory; it belongs to no pin."""
    advisory = match.advisory
    told = [f"you report: {match.quote.strip()[:160]}"] if match.quote else []
    extra = [
        ("remedy", advisory.remedy),
        ("source", advisory.source),
        ("confidence", _CERTAIN[advisory.confidence]),
        ("severity", advisory.severity.value),
        ("true_for", advisory.true_for),
    ]
    if advisory.note:
        extra.append(("note", advisory.note))
    return Item(
        id=advisory.id,
        pin="",
        kind=Kind.ADVISORY,
        title=advisory.title,
        url=advisory.url,
        tier=tier,
        presence_detail="",
        evidence=tuple(
            Evidence(kind=EvidenceKind.TEXT, weight=0.0, detail=detail)
            for detail in (*told, *match.reasons)
        ),
        extra=tuple(extra),
    )
