"""The user's telling settings, found in what a change says: its title, functions, names and text.

Pure. One BM25F over the words of all settings, each word weighed by how much its setting tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.document import Document
from watcher.facts.item import EvidenceKind
from watcher.matching.bm25 import term_weights
from watcher.matching.rules.context import UsageContext, WeighedSetting
from watcher.matching.rules.signal import Signal

_SATURATION: Final = 1.2
_SHOWN: Final = 3
"""Settings that one sentence names at most."""
_TITLE_REST: Final = 3.0
"""What a title is taken to say beside its words, so that short ones do not win by shortness."""


class SettingQuery(Struct, frozen=True):
    """The words of all settings as one query."""

    weights: Mapping[str, float]
    """Token -> weight times rarity; a token of several settings counts by the strongest."""
    owners: Mapping[str, WeighedSetting]
    """Token -> the setting that it counts for."""


def setting_query(context: UsageContext) -> SettingQuery:
    """The query of a usage; made once."""
    weights: dict[str, float] = {}
    owners: dict[str, WeighedSetting] = {}
    for item in context.settings:
        for token, weight in item.terms.items():
            share = weight * item.importance * context.corpus.rarity(token)
            if share > weights.get(token, 0.0):
                weights[token] = share
                owners[token] = item
    return SettingQuery(weights, owners)


def setting_signals(
    document: Document, query: SettingQuery, context: UsageContext
) -> Iterator[Signal]:
    """How strongly a change speaks of the user's telling settings, and of which."""
    found = term_weights(document, query.weights.keys(), context.fields, context.corpus)
    shares: dict[str, float] = {}
    total = 0.0
    for token, strength in found.items():
        share = query.weights[token] * (_SATURATION + 1) * strength / (_SATURATION + strength)
        name = str(query.owners[token])
        shares[name] = shares.get(name, 0.0) + share
        total += share
    if total <= 0:
        return
    told = sorted(shares, key=lambda name: -shares[name])[:_SHOWN]
    named = ", ".join(name[:80] for name in told if shares[name] > 0.2 * total)
    yield Signal("settings", total / 10, EvidenceKind.CONFIG, f"speaks of your settings {named}")
    title = document.fields.get("title", {})
    covered = sum(query.weights[token] for token in title if token in query.weights)
    if covered > 0:
        mass = sum(context.corpus.rarity(token) for token in title)
        yield Signal("settings_title", covered / (mass + _TITLE_REST), EvidenceKind.CONFIG, "")


def config_key_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """The user's most telling setting whose very key is read on a changed line."""
    read = {key.replace("-", "_") for key in change.diff.config_keys}
    tails = {".".join(key.split(".")[-2:]) for key in read}
    leaves = {key.rpartition(".")[2] for key in read}
    names = set(change.diff.identifiers)
    best = 0.0
    told: WeighedSetting | None = None
    for item in context.settings:
        if item.importance <= best:
            break  # settings come most important first
        strength = _strength(item, tails, leaves, names) * item.importance
        if strength > best:
            best, told = strength, item
    if told is not None:
        detail = f"changes lines that read your {told} ({told.setting.source})"
        yield Signal("config_key", best, EvidenceKind.CONFIG, detail)


def _strength(item: WeighedSetting, tails: set[str], leaves: set[str], names: set[str]) -> float:
    """1 for the last two parts of the key, less for its last part alone."""
    if item.tail in tails:
        return 1.0
    is_compound = "_" in item.leaf
    if item.leaf in leaves:
        return 0.7 if is_compound else 0.3
    return 0.4 if is_compound and item.leaf in names else 0.0
