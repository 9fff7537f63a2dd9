"""A symptom -> weighted bags of search tokens, one for each part of it.

Pure. The user's words weigh most, then the error lines, the quoted code, the configuration and the
other log lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from watcher.facts.symptom import Frame, Symptom
from watcher.matching.bm25 import Corpus
from watcher.matching.tokens import (
    WHOLE,
    find_words,
    stem,
    tokenize,
    without_references,
    word_tokens,
)
from watcher.matching.weights import RankWeights
from watcher.symptom.lexicon import Lexicon
from watcher.upstreams.profile import FacetRule

SYNONYMS: Final = "synonyms"
"""The part of the query that holds other words for the user's."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。；！？])|\n+")
_PATH_OR_ADDRESS = re.compile(r"/[\w./-]+|0x[0-9a-f]+")
_PATH_OR_NUMBER = re.compile(r"/[\w./-]+|\d+")
_PLAIN_VALUE = re.compile(r"[\d.,\[\]e-]+|true|false|none|null", re.IGNORECASE)
_LATER_SENTENCE: Final = 0.7
_EARLIER_ERROR: Final = 0.5
_FOLLOWER: Final = 0.25
_MAX_ERRORS: Final = 6
_MAX_FOLLOWERS: Final = 4

Bag = dict[str, float]


class Query(Struct, frozen=True, kw_only=True):
    """What to search for."""

    parts: dict[str, Bag]
    """Part of the symptom -> token -> weight."""
    total: Bag
    """All parts together, each by its weight: the greatest counts."""
    spelling: dict[str, str] = field(default_factory=dict)
    """Token -> the word as the user or the log wrote it."""
    frames: tuple[Frame, ...] = ()
    """Frames that lie in the upstream, innermost last."""
    facets: frozenset[str] = frozenset()


def compose_query(
    symptom: Symptom,
    lexicon: Lexicon,
    weights: RankWeights,
    *,
    frames: Sequence[Frame] = (),
    facets: frozenset[str] = frozenset(),
) -> Query:
    """The query of a symptom. ``frames`` are those that were found in the upstream."""
    writer = _Writer(weights.compound_part)
    words = without_references(lexicon.to_english(symptom.text))
    parts: dict[str, Bag] = {
        "text": _text_bag(writer, words),
        "errors": _error_bag(writer, symptom),
        "code": writer.bag((line, 0.6) for line in symptom.code),
        "config": _config_bag(writer, symptom.config),
        "lines": writer.bag((_PATH_OR_NUMBER.sub(" ", line), 0.5) for line in symptom.lines),
    }
    total: Bag = {}
    for name, bag in parts.items():
        _merge(total, bag, weights.parts[name])
    parts[SYNONYMS] = _synonyms(words, lexicon)
    return Query(
        parts=parts,
        total=total,
        spelling=writer.spelling,
        frames=tuple(frames),
        facets=facets,
    )


def search_terms(query: Query, corpus: Corpus, weights: RankWeights) -> Bag:
    """What to ask the index for: every token that the corpus holds, by weight times rarity."""
    asked = dict(query.total)
    _merge(asked, query.parts[SYNONYMS], weights.features.get(SYNONYMS, 0.0))
    return {
        token: weight * corpus.rarity(token)
        for token, weight in asked.items()
        if corpus.frequencies.get(token)
    }


def symptom_facets(
    symptom: Symptom, lexicon: Lexicon, rules: Iterable[FacetRule], frames: Sequence[Frame] = ()
) -> frozenset[str]:
    """The facets that the words, settings, last errors and files of a symptom speak of."""
    settings = " ".join(f"{key}={value}" for key, value in symptom.config)
    paths = " ".join(frame.path for frame in frames)
    text = " ".join(
        (lexicon.to_english(symptom.text), settings, " ".join(symptom.errors[-3:]), paths)
    )
    return frozenset(rule.name for rule in rules if rule.words.search(text))


class _Writer:
    """Turns texts into bags and remembers how the words were spelt."""

    def __init__(self, compound_part: float) -> None:
        self._compound_part = compound_part
        self.spelling: dict[str, str] = {}

    def bag(self, texts: Iterable[tuple[str, float]]) -> Bag:
        """Tokens of weighted texts; a token that stands in several counts by the greatest."""
        merged: Bag = {}
        for text, weight in texts:
            _merge(merged, self._bag(text), weight)
        return merged

    def _bag(self, text: str) -> Bag:
        bag: Bag = {}
        for word, count in Counter(find_words(text)).items():
            tokens = word_tokens(word)
            weight = 1 + 0.25 * min(count - 1, 2)
            for token in tokens:
                self.spelling.setdefault(token, word)
                is_whole = len(tokens) == 1 or token.startswith(WHOLE)
                share = weight if is_whole else weight * self._compound_part
                bag[token] = max(bag.get(token, 0.0), share)
        return bag


def _text_bag(writer: _Writer, words: str) -> Bag:
    sentences = [one for one in _SENTENCE.split(words.strip()) if one.strip()]
    return writer.bag(
        (sentence, 1.0 if at == 0 else _LATER_SENTENCE) for at, sentence in enumerate(sentences)
    )


def _error_bag(writer: _Writer, symptom: Symptom) -> Bag:
    errors, followers = symptom.errors, symptom.followers
    if not errors:
        errors, followers = followers, ()
    weighted = [
        (_PATH_OR_ADDRESS.sub(" ", error)[:400], 1.0 if at == 0 else _EARLIER_ERROR)
        for at, error in enumerate(reversed(errors[-_MAX_ERRORS:]))
    ]
    weighted += [(follower[:300], _FOLLOWER) for follower in followers[-_MAX_FOLLOWERS:]]
    return writer.bag(weighted)


def _config_bag(writer: _Writer, settings: Sequence[tuple[str, str]]) -> Bag:
    texts: list[tuple[str, float]] = []
    for key, value in settings:
        names = key.replace("-", "_").split(".")
        texts.append((names[-1], 1.0))
        if len(names) > 1:
            texts.append((names[-2], 0.4))
        if value and "/" not in value and not _PLAIN_VALUE.fullmatch(value):
            texts.append((value[:60], 0.6))
    return writer.bag(texts)


def _merge(into: Bag, bag: Mapping[str, float], weight: float) -> None:
    for token, value in bag.items():
        into[token] = max(into.get(token, 0.0), weight * value)


def _synonyms(words: str, lexicon: Lexicon) -> Bag:
    """Tokens of the lexicon's expansions for words and phrases of the text."""
    said = set(tokenize(words))
    stems = f" {_stems(words)} "
    found: Bag = {}
    for phrase, expansion in lexicon.synonyms.items():
        # Stems keep their first letters: most phrases end here.
        if phrase[:3] in stems and f" {_stems(phrase)} " in stems:
            found.update({token: 0.5 for token in tokenize(expansion) if token not in said})
    return found


def _stems(text: str) -> str:
    """All words as stems, little words included: a phrase is told by them."""
    return " ".join(stem(word.lower()) for word in find_words(text))
