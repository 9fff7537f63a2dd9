"""The right entry comes first for what people say and what consoles show; upstream's bugs draw
none.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.advisories.test_catalogue import CATALOGUE
from watcher.advisories.match import for_symptom
from watcher.facts.usage import Usage
from watcher.symptom.parse import parse_symptom

SPOKEN = tomllib.loads(Path(__file__).with_name("spoken.toml").read_text(encoding="utf-8"))
SAYS = [(slug, text) for slug, one in SPOKEN.items() for text in one["says"]]
SHOWS = [(slug, text) for slug, one in SPOKEN.items() for text in one["shows"]]


def told(words: str, log: str | None = None) -> list[str]:
    symptom = parse_symptom(words, None if log is None else log.splitlines())
    return [match.advisory.slug for match in for_symptom(CATALOGUE, symptom, Usage(), [])]


@pytest.mark.parametrize(("slug", "text"), SAYS)
def test_what_people_say_is_recognised_first(slug: str, text: str) -> None:
    assert told(text)[:1] == [slug]


@pytest.mark.parametrize(("slug", "text"), SHOWS)
def test_what_consoles_show_is_recognised_first(slug: str, text: str) -> None:
    assert told("", text)[:1] == [slug]


UPSTREAM = [
    "The fused kernel gives other log probabilities for odd vocabulary sizes",
    "After the second resume the data starts from the beginning",
    "Critic values are shifted by one token in multi-turn rollouts",
    "Garbled output before the first step with cpu offload on three cards",
    "输出乱码，三张卡 fsdp2 offload",
    "The streamed tool call has no name when thinking is switched off",
    "Evaluation throws away one batch every time",
    "Adapter is saved with alpha zero after merging",
    "恢复训练之后学习率又从头开始",
    "Attention metadata has the wrong shape with chunked prefill",
    "Wrong rank is used when sequence parallelism and expert parallelism are combined",
    "Reward is computed twice for aborted requests",
]


@pytest.mark.parametrize("text", UPSTREAM)
def test_upstreams_own_bugs_draw_no_local_cause(text: str) -> None:
    assert told(text) == []
