"""Which facets a usage has and which it rules out, each with the line that says so.

Pure. Facets of one group exclude each other: what turns one on turns its rivals off. What the user
wrote outweighs what the user imports, and that outweighs the upstream's defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.usage import CodeUse, FacetUse, Setting, Source
from watcher.upstreams.profile import FacetRule
from watcher.usage.values import canonical_key, is_suffix

HARDWARE_GROUP: Final = "hardware"
DEFAULT_HARDWARE: Final = "cuda"


class Grounds(Struct, frozen=True):
    """What facets are read from."""

    settings: Sequence[Setting]
    code: Sequence[CodeUse]
    entry_points: Sequence[tuple[str, Source]]
    hardware: tuple[str, Source] | None
    """Declared hardware and where; None means the default."""


def read_facets(rules: Iterable[FacetRule], grounds: Grounds) -> tuple[FacetUse, ...]:
    """Facets on and off, sorted by name."""
    grouped: dict[str, list[FacetRule]] = {}
    free: list[FacetRule] = []
    for rule in _one_a_name(rules):
        if rule.group is None:
            free.append(rule)
        else:
            grouped.setdefault(rule.group, []).append(rule)
    uses = [use for rule in free if (use := _free(rule, grounds))]
    for group, members in grouped.items():
        uses += _hardware(members, grounds) if group == HARDWARE_GROUP else _group(members, grounds)
    return tuple(sorted(uses, key=lambda use: use.name))


def _one_a_name(rules: Iterable[FacetRule]) -> Iterable[FacetRule]:
    """Upstreams share facets; what excludes others in one of them does so for the whole usage."""
    chosen: dict[str, FacetRule] = {}
    for rule in rules:
        known = chosen.get(rule.name)
        if known is None or (known.group is None and rule.group is not None):
            chosen[rule.name] = rule
    return chosen.values()


def _free(rule: FacetRule, grounds: Grounds) -> FacetUse | None:
    """On by a matching setting or import; off when every setting it goes by says something else."""
    for is_default in (False, True):
        settings = [item for item in grounds.settings if item.is_default is is_default]
        if use := _by_settings(rule, settings):
            return use
        if not is_default and (use := _by_code(rule, grounds)):
            return use
    deciding = [
        item
        for item in grounds.settings
        if any(is_suffix(suffix, item.key) for suffix, _ in rule.settings)
    ]
    if not deciding:
        return None
    said = next((item for item in deciding if not item.is_default), deciding[0])
    return FacetUse(name=rule.name, is_on=False, source=said.source, detail=written(said))


def _group(members: Sequence[FacetRule], grounds: Grounds) -> list[FacetUse]:
    own = [item for item in grounds.settings if not item.is_default]
    given = [item for item in grounds.settings if item.is_default]
    for found in (
        [use for rule in members if (use := _by_settings(rule, own))],
        [use for rule in members if (use := _by_key(rule, own))],
        [use for rule in members if (use := _by_code(rule, grounds))],
        [use for rule in members if (use := _by_settings(rule, given))],
    ):
        if found:
            return found + _rivals(members, found)
    return []


def _hardware(members: Sequence[FacetRule], grounds: Grounds) -> list[FacetUse]:
    if grounds.hardware is None and (found := _group(members, grounds)):
        return found
    name, source = grounds.hardware or (DEFAULT_HARDWARE, Source("default"))
    detail = f"hardware = {name}" + ("" if grounds.hardware else ", nothing says otherwise")
    if all(rule.name != name for rule in members):
        return []
    on = FacetUse(name=name, is_on=True, source=source, detail=detail, group=HARDWARE_GROUP)
    return [on, *_rivals(members, [on])]


def _rivals(members: Sequence[FacetRule], on: Sequence[FacetUse]) -> list[FacetUse]:
    names = {use.name for use in on}
    first = on[0]
    return [
        FacetUse(
            name=rule.name,
            is_on=False,
            source=first.source,
            detail=first.detail,
            group=rule.group,
        )
        for rule in members
        if rule.name not in names
    ]


def _by_settings(rule: FacetRule, settings: Sequence[Setting]) -> FacetUse | None:
    for suffix, pattern in rule.settings:
        value = re.compile(pattern, re.IGNORECASE)
        for item in settings:
            if is_suffix(suffix, item.key) and value.fullmatch(item.value.strip("'\" ")):
                return _on(rule, item.source, written(item))
    return None


def _by_key(rule: FacetRule, settings: Sequence[Setting]) -> FacetUse | None:
    """A key that names the facet (``actor.megatron.…``) and that the user set otherwise."""
    for item in settings:
        middle = canonical_key(item.key).rpartition(".")[0]
        if middle and item.departs and rule.words.search(_as_words(middle)):
            return _on(rule, item.source, written(item))
    return None


def _by_code(rule: FacetRule, grounds: Grounds) -> FacetUse | None:
    for module, source in grounds.entry_points:
        if rule.words.search(_as_words(module)):
            return _on(rule, source, f"runs {module}")
    for use in grounds.code:
        if rule.words.search(_as_words(use.upstream_module)):
            return _on(rule, use.source, f"{use.kind} of {use.upstream_module}")
    return None


def _on(rule: FacetRule, source: Source, detail: str) -> FacetUse:
    return FacetUse(name=rule.name, is_on=True, source=source, detail=detail, group=rule.group)


def _as_words(module: str) -> str:
    return module.replace(".", " ").replace("_", " ")


def written(setting: Setting) -> str:
    """``key=value`` as the detail of a facet tells it."""
    return f"{canonical_key(setting.key)}={setting.value}"
