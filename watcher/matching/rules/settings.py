"""The user's telling settings, found in what a change says: its title, functions, names and text.

Pure. One BM25F over the words of all settings, each word weighed by how much its setting tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from watcher.facts import Change, Document, EvidenceKind
from watcher.matching.bm25 import score, term_weights
from watcher.matching.rules.context import UsageContext, WeighedSetting
from watcher.matching.rules.signal import Signal

SATURATION = 1.2
SHOWN_SETTINGS = 3


def setting_query(context: UsageContext) -> dict[str, float]:
    """Token -> weight over all settings; a token of several settings counts by the strongest."""
    query: dict[str, float] = {}
    for item in context.settings:
        for token, weight in item.terms.items():
            query[token] = max(query.get(token, 0.0), weight * item.importance)
    return query


def setting_signals(
    document: Document, query: Mapping[str, float], context: UsageContext
) -> Iterator[Signal]:
    """How strongly a change speaks of the user's telling settings, and of which."""
    found = term_weights(document, query.keys(), context.fields, context.corpus)
    total = score(query, found, context.corpus, SATURATION)
    if total <= 0:
        return
    shares = sorted(
        ((_share(item, query, found, context), item) for item in context.settings),
        key=lambda pair: -pair[0],
    )
    told = [item for share, item in shares[:SHOWN_SETTINGS] if share > 0.2 * total]
    detail = "speaks of your settings " + ", ".join(str(item)[:80] for item in told)
    yield Signal("settings", total, EvidenceKind.CONFIG, detail if told else "")
    title = document.fields.get("title", {})
    mass = sum(context.corpus.rarity(token) for token in title)
    covered = sum(context.corpus.rarity(token) * query[token] for token in title if token in query)
    if covered > 0:
        yield Signal("settings_title", covered / (mass + 3.0), EvidenceKind.CONFIG, "")


def _share(
    item: WeighedSetting,
    query: Mapping[str, float],
    found: Mapping[str, float],
    context: UsageContext,
) -> float:
    own = {
        token: weight * item.importance
        for token, weight in item.terms.items()
        if weight * item.importance >= query[token]
    }
    return score(own, found, context.corpus, SATURATION)


def config_key_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """Settings of the user whose very key is read on a changed line."""
    read = {key.replace("-", "_") for key in change.diff.config_keys}
    names = {name for name in change.diff.identifiers if "_" in name}
    best = 0.0
    told: WeighedSetting | None = None
    for item in context.settings:
        key = item.setting.key.replace("-", "_").lstrip("+")
        leaf = key.rpartition(".")[2]
        strength = _key_strength(key, leaf, read, names) * item.importance
        if strength > best:
            best, told = strength, item
    if told is not None:
        yield Signal(
            "config_key", best, EvidenceKind.CONFIG, f"changes lines that read {told} of yours"
        )


def _key_strength(key: str, leaf: str, read: set[str], names: set[str]) -> float:
    """1 for the same dotted key, less for its last parts alone."""
    parent = ".".join(key.split(".")[-2:])
    for other in read:
        if other == key or (key.endswith(f".{other}") and "." in other):
            return 1.0
        if other.endswith(f".{parent}") or other == parent:
            return 1.0
    if leaf in read:
        return 0.7 if "_" in leaf else 0.3
    return 0.4 if leaf in names else 0.0
