"""What a rule gives: a named measure of one change, with the sentence that a person can check.

Pure data. The measure times its weight in ``weights.toml`` is the evidence's share of the score, so
rules know no weights and the weights can be fitted from recorded cases.
"""

from __future__ import annotations

from msgspec import Struct

from watcher.facts.item import EvidenceKind, Tier


class Signal(Struct, frozen=True):
    """One measured reason."""

    name: str
    """Key of its weight."""
    value: float
    """How strongly it holds; 1 for a plain yes."""
    kind: EvidenceKind
    detail: str
    """A sentence a person can check; empty for what only orders (a prior by kind)."""
    at_most: Tier = Tier.LIKELY
    """The best tier that it leaves, whatever speaks for the change: unlikely when it says that this
    user is not meant, possible when it says so of the usual case only.
    """
