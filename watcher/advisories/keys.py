"""Configuration keys that a pin does not know -> the nearest that it knows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from watcher.advisories.record import Advisory, AdvisoryMatch, Confidence, Severity

HYDRA_SLUG: Final = "hydra-unknown-key"
"""Entry of the catalogue whose reasons are completed with the nearest keys."""
_REFUSED: Final = (
    re.compile(r"[Cc]ould not override '([\w.@/+-]{1,200})'"),
    re.compile(r"Key '([\w.-]{1,200})' is not in struct"),
    re.compile(r"\bfull_key: ([\w.-]{1,200})"),
)
_NEAREST: Final = 3
_LEAST_LIKE: Final = 0.75
_LONGEST_KEY: Final = 200


def refused_keys(lines: Iterable[str]) -> list[str]:
    """Keys that Hydra or OmegaConf refused, as the log names them; full keys last."""
    found: dict[str, None] = {}
    for line in lines:
        for pattern in _REFUSED:
            for key in pattern.findall(line[:2_000]):
                found[key.lstrip("+")] = None
    return sorted(found, key=lambda key: key.count("."))


def nearest_keys(key: str, known: Sequence[str]) -> list[str]:
    """The known keys most like a key, best first.

    A like spelling in the same place counts before the same last name elsewhere.
    """
    parent, _, last = key[:_LONGEST_KEY].rpartition(".")
    names: dict[str, list[str]] = {}
    for one in known:
        names.setdefault(one.rpartition(".")[2], []).append(one)
    beside = {
        one.rpartition(".")[2]: one for one in known if one.rpartition(".")[0].endswith(parent)
    }
    found = [beside[name] for name in get_close_matches(last, list(beside), _NEAREST, _LEAST_LIKE)]
    moved = get_close_matches(key, names.get(last, []), _NEAREST, 0.0)
    alike = [
        one for name in get_close_matches(last, list(names), 1, _LEAST_LIKE) for one in names[name]
    ]
    return list(dict.fromkeys(one for one in (*found, *moved, *alike) if one != key))[:_NEAREST]


def key_reason(key: str, known: Sequence[str], where: str) -> str:
    """A sentence on one refused key: the nearest keys, or that the pin knows it."""
    if key in known:
        return f"`{key}` is a key of {where}: another version or configuration ran"
    nearest = nearest_keys(key, known)
    if not nearest:
        return f"{where} knows no key like `{key}`"
    return f"`{key}`: the nearest keys of {where} are " + ", ".join(f"`{one}`" for one in nearest)


def unknown_key_match(key: str, source: str, known: Sequence[str], where: str) -> AdvisoryMatch:
    """The hazard of a key in the user's files that the pin does not know."""
    nearest = nearest_keys(key, known)
    remedy = f"Write `{nearest[0]}`" if nearest else "Remove it"
    slug = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:80]
    advisory = Advisory(
        slug=f"unknown-key-{slug}",
        title=f"`{key}` is not a key of {where}",
        remedy=f"{remedy}, or `+{key}=…` if it is meant to be added.",
        source=f"the configuration of {where}",
        confidence=Confidence.USUAL,
        severity=Severity.CRASH,
        is_hazard=True,
        true_for=where,
        note="A later version may know it.",
    )
    reasons = (f"set in {source}", key_reason(key, known, where))
    return AdvisoryMatch(advisory=advisory, strength=0.0, reasons=reasons)
