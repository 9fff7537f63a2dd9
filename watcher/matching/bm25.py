"""BM25F: one saturated term weight over all fields of a document.

Pure. A sum of one BM25 per field would reward a word for standing in many fields; here the fields
are added first and saturated once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from watcher.facts.document import Document
from watcher.matching.weights import FieldWeight


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What is known of all documents together."""

    count: int
    frequencies: Mapping[str, int]
    """Documents that hold a term in any field; only terms asked for need to be inside."""
    average_lengths: Mapping[str, float] = field(default_factory=dict)
    _rarities: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Rarities already computed."""

    def rarity(self, term: str) -> float:
        """Inverse document frequency, never negative."""
        known = self._rarities.get(term)
        if known is None:
            held = min(self.frequencies.get(term, 0), self.count)
            known = math.log(1 + (self.count - held + 0.5) / (held + 0.5))
            self._rarities[term] = known
        return known


def corpus_of(documents: Iterable[Document]) -> Corpus:
    """The statistics of a set of documents."""
    frequencies: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    count = 0
    for one in documents:
        count += 1
        frequencies.update(set().union(*one.fields.values()))
        for name, tokens in one.fields.items():
            lengths[name] += sum(tokens.values())
    averages = {name: total / count for name, total in lengths.items()}
    return Corpus(count=count, frequencies=frequencies, average_lengths=averages)


def term_weights(
    one: Document, terms: Collection[str], fields: Mapping[str, FieldWeight], corpus: Corpus
) -> dict[str, float]:
    """How strongly a document speaks of each of the terms, before saturation."""
    wanted = terms if isinstance(terms, set | frozenset) else frozenset(terms)
    found: dict[str, float] = {}
    for name, setting in fields.items():
        tokens = one.fields.get(name)
        if not tokens:
            continue
        hits = tokens.keys() & wanted
        if not hits:
            continue
        average = max(1.0, corpus.average_lengths.get(name, 1.0))
        length = sum(tokens.values()) / average
        b = setting.normalisation
        unit = setting.weight / (1 - b + b * length)
        for term in hits:
            found[term] = found.get(term, 0.0) + unit * tokens[term]
    return found


def score(
    query: Mapping[str, float], found: Mapping[str, float], corpus: Corpus, saturation: float
) -> float:
    """BM25F of a bag of weighted query terms against a document's term weights."""
    total = 0.0
    for term in query.keys() & found.keys():
        strength = found[term]
        rarity = corpus.rarity(term)
        total += query[term] * rarity * (saturation + 1) * strength / (saturation + strength)
    return total
