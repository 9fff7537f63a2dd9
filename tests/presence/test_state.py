"""A saved lineage: refused when it is damaged, equal when it is read back."""

from __future__ import annotations

import zlib

import pytest

from tests.presence.stories import story, told
from watcher.errors import StoreError
from watcher.presence.lineage import Lineage
from watcher.presence.state import dump, load


def some_lineage() -> Lineage:
    lineage = Lineage()
    told(
        lineage,
        story(
            {"pkg/a.py": ["class A:", "    def run(self, max_steps=3):", "        return 1"]},
            {"pkg/a.py": ["class A:", "    def run(self, max_steps=4):", "        return 1"]},
            {"pkg/模型.py": ["def λ(x):", "    return x.some_value"]},
        ),
    )
    return lineage


def test_a_lineage_is_the_same_after_reading_it_back() -> None:
    lineage = some_lineage()

    back = load(dump(lineage))

    assert back.lines == lineage.lines
    assert back.gone == lineage.gone
    assert back.names.births == lineage.names.births
    assert back.names.older == lineage.names.older
    assert back.chains.all() == lineage.chains.all()
    assert back.definitions["pkg/模型.py"] == lineage.definitions["pkg/模型.py"]


def test_an_empty_lineage_has_a_state() -> None:
    assert load(dump(Lineage())).lines == {}


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: b"",
        lambda state: state[: len(state) // 2],
        lambda state: zlib.compress(b"something else"),
        lambda state: zlib.compress(zlib.decompress(state)[:-3]),
        lambda state: zlib.compress(zlib.decompress(state).replace(b'"version":2', b'"version":9')),
    ],
    ids=["empty", "cut", "foreign", "short", "other version"],
)
def test_a_damaged_state_is_refused_with_its_mend(damage) -> None:
    with pytest.raises(StoreError, match="rebuilt by the next sync"):
        load(damage(dump(some_lineage())))
