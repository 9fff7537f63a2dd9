"""Model families that a title names, against the model that the user runs.

Pure. Families are the names of the upstream's own model files at the pin (``models/qwen2_vl.py``);
"Fix Gemma-4 …" is not for a user of Qwen2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from watcher.facts import Change, EvidenceKind, Setting, Tier
from watcher.matching.bm25 import Corpus
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.values import is_suffix

_KEYS: Final = ("model", "model.path", "model_path", "model_name_or_path", "model_id")
_FAMILY: Final = re.compile(r"[a-z]{3,}")
_NAMED: Final = re.compile(r"(?<![A-Za-z])([A-Za-z]{3,20})(?:[-_ ]?[vkmVKM]?(\d{1,2}))?")
_COMMON_SHARE: Final = 0.1
"""A word of more changes than this is a word of all code."""
_CODE_WORDS: Final = """
adapters base common config configs dense encoder fused hf interfaces layers loader model modeling
module modules monkey npu patch registry tiled transformers utils vision weight weights
"""
_NOT_MODELS: Final = frozenset(_CODE_WORDS.split())


@dataclass(frozen=True, slots=True)
class ModelName:
    """A family and its first number; an empty number stands for all of them."""

    family: str
    number: str

    def meets(self, other: ModelName) -> bool:
        """True when both can mean one model."""
        same = self.number == other.number or not (self.number and other.number)
        return self.family == other.family and same


@dataclass(frozen=True, slots=True)
class UserModels:
    """The models that the user runs, and the families that the upstream knows."""

    families: frozenset[str]
    names: tuple[ModelName, ...]
    setting: Setting | None


def user_models(context: UsageContext) -> UserModels:
    """What is known of the user's models; made once."""
    families = _families(context.modules, context.corpus)
    for item in context.usage.settings:
        if not item.is_default and any(is_suffix(key, item.key) for key in _KEYS):
            last = item.value.rstrip("/").rpartition("/")[2]
            names = tuple(_named(last, families))
            if names:
                return UserModels(families, names, item)
    return UserModels(families, (), None)


def model_signals(change: Change, models: UserModels) -> Iterator[Signal]:
    """A title that names only models that the user does not run, or the user's own."""
    if models.setting is None:
        return
    named = list(_named(change.message.title, models.families))
    if not named:
        return
    setting = models.setting
    written = f"{setting.key}={setting.value} ({setting.source})"
    if any(one.meets(own) for one in named for own in models.names):
        detail = f"names {named[0].family}, the family of your {written}"
        yield Signal("own_model", 1.0, EvidenceKind.CONFIG, detail)
    else:
        told = f"{named[0].family} {named[0].number}".strip()
        detail = f"is about {told}; you run {written}"
        yield Signal("other_model", 1.0, EvidenceKind.SCOPE, detail, at_most=Tier.POSSIBLE)


def _families(modules: Iterable[str], corpus: Corpus) -> frozenset[str]:
    found: set[str] = set()
    for module in modules:
        parts = module.split(".")
        if "models" not in parts[:-1]:
            continue
        match = _FAMILY.match(parts[-1])
        if match and match.group() not in _NOT_MODELS:
            found.add(match.group())
    most = _COMMON_SHARE * corpus.count
    return frozenset(word for word in found if corpus.frequencies.get(word, 0) <= max(3, most))


def _named(text: str, families: frozenset[str]) -> Iterator[ModelName]:
    for match in _NAMED.finditer(text):
        family = match.group(1).lower()
        if family in families:
            yield ModelName(family, match.group(2) or "")
