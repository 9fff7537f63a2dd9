"""One user's usage of one upstream, prepared once for judging many changes.

Pure: usage, profile, import graph and word statistics in; look-ups out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from watcher.facts.issue import Issue
from watcher.facts.usage import CodeUse, FacetUse, Setting, Source, Usage
from watcher.matching.bm25 import Corpus
from watcher.matching.rules.setting_terms import setting_terms
from watcher.matching.weights import FieldWeight
from watcher.upstreams.profile import FacetRule, Profile
from watcher.usage.facets import written
from watcher.usage.glosses import Gloss
from watcher.usage.import_graph import ImportGraph, module_of_path, reach
from watcher.usage.values import canonical_key

UNSEEN_RARITY = 5.0
"""Surprise of a setting that no example has, in nats; what importance is measured against."""

VARIABLE_IMPORTANCE = 0.4
_EVERYWHERE = frozenset(
    {"PATH", "HOME", "PYTHONPATH", "LD_LIBRARY_PATH", "PYTHONUNBUFFERED", "CUDA_VISIBLE_DEVICES"}
)


class WeighedSetting(Struct, frozen=True):
    """A setting of the user with how much it tells this user from others."""

    setting: Setting
    importance: float
    """0 for what everyone has, about 1 for what nobody else has."""
    terms: Mapping[str, float]
    """Search token -> its weight in this setting."""
    leaf: str
    """Last part of the key."""
    tail: str
    """Last two parts of the key."""

    def __str__(self) -> str:
        return f"{self.setting.key}={self.setting.value}"


class UsageContext(Struct, frozen=True, kw_only=True):
    """What every rule may look up."""

    usage: Usage
    profile: Profile
    settings: tuple[WeighedSetting, ...]
    """The user's own, most important first."""
    in_force: Mapping[str, tuple[Setting, ...]]
    """Last part of the key -> settings with it, defaults included."""
    facets: Mapping[str, FacetUse]
    rules: Mapping[str, FacetRule]
    code: Mapping[str, tuple[CodeUse, ...]]
    """Module of the upstream -> uses of it."""
    distances: Mapping[str, int] | None
    """Module -> imports from where the run starts; None when that is not known."""
    modules: frozenset[str]
    """Modules of the upstream at the pin; empty when not known."""
    corpus: Corpus
    fields: Mapping[str, FieldWeight]
    by_leaf: Mapping[str, tuple[WeighedSetting, ...]] = field(default_factory=dict)
    """Last part of the key -> the user's own settings with it."""
    importance_of: Mapping[str, float] = field(default_factory=dict)
    """``key=value`` with underscores -> importance of the user's own setting."""
    glosses: Sequence[Gloss] = ()
    issues: Mapping[int, Issue] = field(default_factory=dict)
    _paths: dict[str, frozenset[str]] = field(default_factory=dict)

    def facets_of_path(self, path: str) -> frozenset[str]:
        """Exclusive facets to which a file belongs by its path."""
        known = self._paths.get(path)
        if known is None:
            known = frozenset(
                rule.name
                for rule in self.rules.values()
                if rule.group and rule.paths is not None and rule.paths.search(path)
            )
            self._paths[path] = known
        return known

    def is_on(self, facet: str) -> bool:
        """True when the usage has the facet."""
        use = self.facets.get(facet)
        return use is not None and use.is_on

    def is_off(self, facet: str) -> bool:
        """True when the usage rules the facet out."""
        use = self.facets.get(facet)
        return use is not None and not use.is_on


class Surroundings(Struct, frozen=True, kw_only=True):
    """What is known beside the usage."""

    corpus: Corpus
    fields: Mapping[str, FieldWeight]
    graph: ImportGraph | None = None
    program: str | None = None
    """Primary configuration of the run: tells where it starts when no launch script does."""
    glosses: Sequence[Gloss] = ()
    issues: Sequence[Issue] = ()


def setting_tokens(usage: Usage) -> frozenset[str]:
    """The search tokens of the user's own settings: all that a document is asked for."""
    return frozenset(token for item in _weighed(usage) for token in item.terms)


def build_context(usage: Usage, profile: Profile, around: Surroundings) -> UsageContext:
    """The context of one usage for one upstream."""
    weighed = _weighed(usage)
    importance_of: dict[str, float] = {}
    by_leaf: dict[str, tuple[WeighedSetting, ...]] = {}
    for item in weighed:
        by_leaf[item.leaf] = (*by_leaf.get(item.leaf, ()), item)
        importance_of.setdefault(written(item.setting), item.importance)
    in_force: dict[str, tuple[Setting, ...]] = {}
    for setting in usage.settings:
        leaf = canonical_key(setting.key).rpartition(".")[2]
        in_force[leaf] = (*in_force.get(leaf, ()), setting)
    code: dict[str, tuple[CodeUse, ...]] = {}
    for use in usage.code:
        if use.upstream_module.split(".", 1)[0] == profile.module:
            code[use.upstream_module] = (*code.get(use.upstream_module, ()), use)
    return UsageContext(
        usage=usage,
        profile=profile,
        settings=tuple(weighed),
        by_leaf=by_leaf,
        importance_of=importance_of,
        in_force=in_force,
        facets={use.name: use for use in usage.facets},
        rules={rule.name: rule for rule in profile.facets},
        code=code,
        distances=_distances(usage, profile, around, usage.code),
        modules=frozenset(around.graph.imports) if around.graph else frozenset(),
        corpus=around.corpus,
        fields=around.fields,
        glosses=around.glosses,
        issues={issue.number: issue for issue in around.issues},
    )


def _weighed(usage: Usage) -> list[WeighedSetting]:
    """The user's own settings and variables, most important first."""
    own = [item for item in usage.settings if not item.is_default]
    variables = (_weigh_variable(name, value) for name, value in usage.environment)
    return sorted([*map(_weigh, own), *variables], key=lambda item: -item.importance)


def _weigh(setting: Setting) -> WeighedSetting:
    parts = canonical_key(setting.key).split(".")
    return WeighedSetting(
        setting, importance(setting), setting_terms(setting), parts[-1], ".".join(parts[-2:])
    )


def _weigh_variable(name: str, value: str) -> WeighedSetting:
    """An environment variable as a setting; nobody counts how rare those are."""
    setting = Setting(key=name, value=value, source=Source("environment"))
    leaf = canonical_key(name)
    terms = setting_terms(setting) if name not in _EVERYWHERE else {}
    return WeighedSetting(setting, VARIABLE_IMPORTANCE if terms else 0.0, terms, leaf, leaf)


def importance(setting: Setting) -> float:
    """How much a setting tells: the surprise of its value among the upstream's examples."""
    if setting.rarity is None:
        return 0.6 if setting.departs else 0.1
    surprise = -math.log(max(1e-4, 1.0 - setting.rarity))
    return min(1.2, surprise / UNSEEN_RARITY)


def _distances(
    usage: Usage, profile: Profile, around: Surroundings, code: Iterable[CodeUse]
) -> Mapping[str, int] | None:
    if around.graph is None:
        return None
    module = profile.module
    entries = [start for start in usage.entry_points if start.split(".", 1)[0] == module]
    if not entries and around.program is not None:
        entries = list(around.graph.programs.get(around.program, ()))
    used = (f"{use.upstream_module}.{use.symbol}".rstrip(".") for use in code)
    own = [*entries, *(name for name in used if name.split(".", 1)[0] == module)]
    if not own:
        return None
    own += [item.value for item in usage.settings if item.value.startswith(f"{module}.")]
    own += [found for path in usage.paths if (found := module_of_path(path))]
    return reach(around.graph, own)
