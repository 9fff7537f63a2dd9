"""Conditions on the number of devices and machines that a change states.

Pure. "Multi-node" does not meet one machine; what needs several devices does not meet one; an
uneven split is the matter of device counts that are no power of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal

_MULTI_NODE: Final = re.compile(r"multi[- ]?nodes?|cross[- ]node|inter[- ]node", re.IGNORECASE)
_SINGLE_DEVICE: Final = re.compile(
    r"single[- ](?:gpu|device|card)|\b(?:one|1) gpu\b|world[_ ]size\s?(?:==?|of)\s?1", re.IGNORECASE
)
_UNEVEN: Final = re.compile(
    r"uneven|not divisible|indivisible|non-?divisible|odd (?:number|world)|remainder|tail shard"
    r"|padd?ed shard|last (?:rank|shard)",
    re.IGNORECASE,
)


def scale_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """Scale conditions of the title (and, for uneven splits, of the description)."""
    gpus, nodes = context.usage.gpus, context.usage.nodes
    title = change.message.title
    if (found := _MULTI_NODE.search(title)) and nodes is not None:
        if nodes <= 1:
            detail = f"is about {found.group()} runs; you run on one machine"
            yield Signal("scale_excluded", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.UNLIKELY)
        else:
            detail = f"is about {found.group()} runs; you run on {nodes} machines"
            yield Signal("scale", 1.0, EvidenceKind.SCOPE, detail)
    if (found := _SINGLE_DEVICE.search(title)) and gpus is not None and gpus > 1:
        detail = f"is about {found.group()}; you run on {gpus}"
        yield Signal("scale_excluded", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.UNLIKELY)
    text = f"{title}\n{change.message.body[:4000]}"
    if gpus is not None and gpus & (gpus - 1) and (found := _UNEVEN.search(text)):
        detail = f"is about uneven splits ({found.group()!r}); {gpus} devices split unevenly"
        yield Signal("scale", 1.0, EvidenceKind.SCOPE, detail)
