"""The field's words in Chinese and in everyday English."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from watcher.errors import ConfigError
from watcher.symptom import lexicon as lexicon_module
from watcher.symptom.lexicon import Lexicon, parse_lexicon

SMALL = parse_lexicon('[zh]\n"显存" = "memory"\n"显存泄漏" = "leak"\n[syn]\n"stuck" = "hang"\n')


def shipped() -> Lexicon:
    return parse_lexicon(Path(lexicon_module.__file__).with_suffix(".toml").read_text("utf-8"))


def test_the_longest_entry_wins_and_latin_words_stay() -> None:
    assert SMALL.to_english("vLLM 显存泄漏了，显存不够").split() == ["vLLM", "leak", "memory"]


def test_english_text_is_left_alone() -> None:
    assert SMALL.to_english("stuck (fsdp2)") == "stuck (fsdp2)"


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("乱码", "garbled"),
        ("卡死", "hang"),
        ("显存", "memory"),
        ("卸载", "offload"),
        ("权重同步", "weight"),
    ],
)
def test_the_shipped_lexicon_knows_the_words_of_the_field(word: str, english: str) -> None:
    assert english in shipped().to_english(word)


def test_no_shipped_entry_is_empty() -> None:
    words = shipped()

    assert all(key.strip() and value.strip() for key, value in words.chinese.items())
    assert all(key.strip() and value.strip() for key, value in words.synonyms.items())


@pytest.mark.parametrize("text", ["[zh", "zh = 3", '"a" = "b"', "[zh]\n'a' = 'b'", "[other]"])
def test_a_broken_lexicon_names_its_line(text: str) -> None:
    with pytest.raises(ConfigError, match=r"lexicon\.toml:[12]"):
        parse_lexicon(text)


def test_the_shipped_lexicon_is_toml_too() -> None:
    text = Path(lexicon_module.__file__).with_suffix(".toml").read_text("utf-8")
    tables = tomllib.loads(text)

    assert parse_lexicon(text).chinese == tables["zh"]
    assert parse_lexicon(text).synonyms == tables["syn"]
