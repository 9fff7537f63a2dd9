"""Recorded incidents -> how well a ranking finds their mends.

Pure: cases come in as text, rankings as lists of keys; nothing is read or run here.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from msgspec import Struct, field

from watcher.errors import UsageError
from watcher.facts.change import Change
from watcher.facts.symptom import Symptom
from watcher.matching.tokens import without_references
from watcher.symptom.parse import parse_symptom

FULL: Final = "full"
WORDS: Final = "words"
LOG: Final = "log"
DEPTHS: Final = (1, 5, 10, 20)
MISS_AFTER: Final = 5
Read = TypeVar("Read")

_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]+")


class RecordedCase(Struct, frozen=True, kw_only=True):
    """What every recorded case says: where to look, and what should be found."""

    id: str
    upstream: str
    pin: str
    as_of: str | None
    expected: tuple[str, ...] = ()
    """``#number`` or the beginning of a sha; any of them counts."""


class Case(RecordedCase, frozen=True, kw_only=True):
    """One recorded incident."""

    text: str = ""
    log: str | None = None
    config: tuple[str, ...] = ()
    variants: dict[str, str] = field(default_factory=dict)


class Outcome(Struct, frozen=True, kw_only=True):
    """Where the expected change of one case came."""

    case: str
    expected: str
    rank: int | None
    """1 for the first place; None when it was not among the ranked."""
    first: str
    """What stood first instead, as a readable name."""


def parse_cases(text: str, *, where: str = "cases") -> list[Case]:
    """The cases of a JSON-lines text. Raises UsageError naming the line."""
    return read_lines(text, where, _case)


def read_lines(text: str, where: str, read: Callable[[str, str], Read]) -> list[Read]:
    """What ``read`` makes of each line that is not blank and of its place, ``where:number``."""
    return [
        read(line, f"{where}:{number}")
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]


def symptom_of(case: Case, mode: str) -> Symptom | None:
    """What the user of a case would have given in a mode; None when the case has nothing for it.

    ``full`` is text, log and config; ``words`` the text; ``log`` log and config; any other mode
    names a variant, which stands alone. Issue numbers and addresses are cut: they would tell.
    """
    lines = None if case.log is None else case.log.split("\n")
    if mode == FULL:
        return parse_symptom(without_references(case.text), lines, case.config)
    if mode == WORDS:
        return parse_symptom(without_references(case.text))
    if mode == LOG:
        return parse_symptom("", lines, case.config) if case.log else None
    variant = case.variants.get(mode)
    return parse_symptom(without_references(variant)) if variant else None


def is_expected(case: RecordedCase, change: Change) -> bool:
    """True when a change is one of those that mended the case."""
    return any(
        one == f"#{change.number}" if one.startswith("#") else change.sha.startswith(one)
        for one in case.expected
        if one
    )


def readable_name(change: Change | None) -> str:
    """Title and number of a change, empty for none."""
    return "" if change is None else f"{change.message.title} (#{change.number})"


def summarize(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """``n``, ``mrr``, ``recall`` by depth, and the ``misses``: expected later than place five."""
    count = len(outcomes)
    ranks = [one.rank for one in outcomes]
    reciprocal = sum(1 / rank for rank in ranks if rank)
    return {
        "n": count,
        "mrr": round(reciprocal / count, 4) if count else None,
        "recall": {str(depth): share_within(ranks, depth) for depth in DEPTHS},
        "misses": [
            {"id": one.case, "rank": one.rank, "expected": one.expected, "first": one.first}
            for one in outcomes
            if one.rank is None or one.rank > MISS_AFTER
        ],
    }


def plain_bm25(case: Case, mode: str, changes: Sequence[Change]) -> list[str]:
    """The baseline: one bag of words for the symptom, one for title, body and file names."""
    query = set(_plain_words(_plain_text(case, mode)))
    documents = [Counter(_plain_words(_plain_document(change))) for change in changes]
    frequencies = Counter(word for one in documents for word in one)
    average = sum(one.total() for one in documents) / max(1, len(documents))
    rarities = {
        word: math.log(1 + (len(documents) - held + 0.5) / (held + 0.5))
        for word in query
        if (held := frequencies[word])
    }
    scores = [
        sum(
            rarity * one[word] * 2.2 / (one[word] + 1.2 * (0.25 + 0.75 * one.total() / average))
            for word, rarity in rarities.items()
            if word in one
        )
        for one in documents
    ]
    order = sorted(range(len(changes)), key=lambda at: -scores[at])
    return [changes[at].sha for at in order]


def _case(line: str, where: str) -> Case:
    try:
        record = json.loads(line)
        symptom = record.get("symptom") or {}
        return Case(
            id=str(record["id"]),
            upstream=str(record["upstream"]),
            pin=str(record["pin"]),
            as_of=_text_or_none(record.get("as_of")),
            text=str(symptom.get("text") or ""),
            log=_text_or_none(symptom.get("log")),
            config=tuple(str(one) for one in symptom.get("config") or ()),
            variants={
                str(name): str(text) for name, text in (symptom.get("variants") or {}).items()
            },
            expected=tuple(str(one) for one in record["expected"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"not a case: {error!r}",
            where=where,
            mend="one JSON object a line with id, upstream, pin, symptom and expected",
        ) from error


def _text_or_none(value: object) -> str | None:
    return str(value) if value else None


def share_within(ranks: Iterable[int | None], depth: int) -> float | None:
    """The share of ranks that reach a depth; None of no ranks at all."""
    every = list(ranks)
    if not every:
        return None
    return round(sum(1 for rank in every if rank and rank <= depth) / len(every), 4)


def _plain_text(case: Case, mode: str) -> str:
    parts = {
        FULL: (case.text, case.log or "", *case.config),
        WORDS: (case.text,),
        LOG: (case.log or "", *case.config),
    }
    return without_references("\n".join(parts.get(mode, (case.variants.get(mode, ""),))))


def _plain_document(change: Change) -> str:
    paths = " ".join(file.path for file in change.diff.files)
    return without_references(f"{change.message.title}\n{change.message.body}\n{paths}")


def _plain_words(text: str) -> list[str]:
    return [word.lower() for word in _PLAIN_WORD.findall(text)]
