"""Changes and settings for tests of the ranker."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.builders import make_change
from watcher.facts.change import Change
from watcher.facts.diff import TouchedFile
from watcher.facts.presence import Verdict
from watcher.facts.symptom import Frame, Symptom
from watcher.matching import weights as weights_module
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document
from watcher.matching.features import Candidate, change_candidate
from watcher.matching.query import Query, compose_query
from watcher.matching.rank import Ranked, rank
from watcher.matching.weights import RankWeights, parse_rank_weights
from watcher.symptom.lexicon import Lexicon, parse_lexicon

LEXICON = parse_lexicon('[zh]\n"卡死" = "hang"\n[syn]\n"stuck" = "deadlock"\n')


@cache
def shipped_weights() -> RankWeights:
    path = Path(weights_module.__file__).with_suffix(".toml")
    return parse_rank_weights(path.read_text(encoding="utf-8"))


def candidate(
    number: int, title: str, *, functions: Sequence[str] = (), **change: Any
) -> Candidate:
    """A fix; ``presence`` and ``closes`` are the candidate's, the rest is the change's."""
    presence = change.pop("presence", None)
    verdict = Verdict(presence=presence, detail="as told") if presence else None
    closes = change.pop("closes", ())
    made = with_functions(make_change(number, title=title, **change), functions)
    message = replace(made.message, closes=closes)
    made = replace(made, message=message)
    return change_candidate(made, document(made), verdict)


def with_functions(change: Change, functions: Sequence[str]) -> Change:
    files = tuple(
        TouchedFile(path=file.path, role=file.role, functions=tuple(functions))
        for file in change.diff.files
    )
    return replace(change, diff=replace(change.diff, files=files))


def query_of(symptom: Symptom, lexicon: Lexicon = LEXICON, **more: Any) -> Query:
    return compose_query(symptom, lexicon, shipped_weights(), **more)


def ranked(symptom: Symptom, candidates: Sequence[Candidate], **more: Any) -> list[Ranked]:
    corpus = corpus_of(one.document for one in candidates)
    return rank(query_of(symptom, **more), candidates, corpus, shipped_weights())


def numbers(places: Sequence[Ranked]) -> list[int]:
    return [int(one.key, 16) for one in places]


FRAMES = (Frame("engine/run.py", "step"), Frame("engine/core.py", "release_blocks"))
