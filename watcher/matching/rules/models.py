"""Model families that a title names, against the model that the user runs.

Pure. Families are told by the upstream's own model files at the pin (``models/qwen2_vl.py``);
"Fix Gemma-4 …" is not for a user of Qwen2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from watcher.facts.change import Change
from watcher.facts.item import EvidenceKind, Tier
from watcher.facts.usage import Setting
from watcher.matching.bm25 import Corpus
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.values import is_suffix

_KEYS: Final = ("model", "model.path", "model_path", "model_name_or_path", "model_id")
_FAMILY: Final = re.compile(r"([a-z]{3,})_?[vkmh]?\d")
_NAMED: Final = re.compile(r"(?<![A-Za-z])([A-Za-z]{3,20})(?:[-_ ]?[vkmVKM]?(\d{1,2}))?")
_COMMON_SHARE: Final = 0.1
"""A family that more changes than this speak of must stand with its number to be meant, and so must
one in small letters: "multi-step" is no model.
"""


class ModelName(Struct, frozen=True):
    """A family and its first number; an empty number stands for all of them."""

    family: str
    number: str

    def meets(self, other: ModelName) -> bool:
        """True when both can mean one model."""
        same = self.number == other.number or not (self.number and other.number)
        return self.family == other.family and same


class UserModels(Struct, frozen=True):
    """The models that the user runs, and the families that the upstream knows."""

    families: Mapping[str, bool]
    """Family -> whether its name is a common word, too."""
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
        # Code for one generation is often run by the next: that says less than another family.
        is_kin = any(one.family == own.family for one in named for own in models.names)
        strength, at_most = (0.5, Tier.LIKELY) if is_kin else (1.0, Tier.POSSIBLE)
        yield Signal("other_model", strength, EvidenceKind.SCOPE, detail, at_most=at_most)


def _families(modules: Iterable[str], corpus: Corpus) -> dict[str, bool]:
    """Families of the files below ``models``, by the files that carry a number."""
    most = max(3, _COMMON_SHARE * corpus.count)
    found: dict[str, bool] = {}
    for module in modules:
        parts = module.split(".")
        match = _FAMILY.match(parts[-1]) if "models" in parts[:-1] else None
        if match:
            family = match.group(1)
            found[family] = corpus.frequencies.get(family, 0) > most
    return found


def _named(text: str, families: Mapping[str, bool]) -> Iterator[ModelName]:
    for match in _NAMED.finditer(text):
        family, number = match.group(1).lower(), match.group(2) or ""
        is_name = match.group()[0].isupper() and not families.get(family, True)
        if family in families and (number or is_name):
            yield ModelName(family, number)
