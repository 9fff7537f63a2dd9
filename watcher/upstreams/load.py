"""Profile TOML -> ``Profile``: the common part, the upstream's own part, the user's overlay on top.

Pure: texts come in as arguments; the files beside this module are read in ``adapters``. What users
write is checked key by key and named in a ``ConfigError``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from msgspec.structs import replace

from watcher.errors import ConfigError
from watcher.facts.kind import Kind
from watcher.settings.toml_text import load_toml
from watcher.upstreams.profile import FacetRule, IssueRules, Landing, Profile, Regex
from watcher.upstreams.tables import Table

Toml: TypeAlias = Mapping[str, object]

GENERIC: Final = "generic"
_ADDED: Final = frozenset({"template_lines", "trailer_lines"})
"""Lists that a more special part adds to instead of replacing."""
_PATTERN_LIMIT: Final = 2_000
_REPOSITORY: Final = re.compile(r"[\w.-]+/([\w.-]+)")


def load_profile(
    upstream: str, read: Callable[[str], str], overlays: Mapping[str, Toml] | None = None
) -> Profile:
    """The profile of an upstream, reading only the texts that it needs.

    ``read`` gives the text of a package file by name (``index.toml``, ``common.toml``,
    ``verl.toml`` ...). ``overlays`` are the ``[profiles.NAME]`` tables of ``watcher.toml``; a name
    that is ``owner/name`` of the upstream counts as well as the profile's own. Raises ConfigError.
    """
    known = Table(_toml(read("index.toml"), "index.toml"), "index.toml").texts("profiles")
    name = known.get(upstream.lower(), GENERIC)
    given = overlays or {}
    overlay = given.get(name) or given.get(upstream)
    profile = parse_profile(read(f"{name}.toml"), common=read("common.toml"), overlay=overlay)
    return profile if name != GENERIC else _named_after(profile, upstream, overlay)


def parse_profile(text: str, *, common: str = "", overlay: Toml | None = None) -> Profile:
    """A profile from its TOML text, extending ``common`` and overlaid by the user's table.

    Raises ConfigError for a key that does not exist, a value of the wrong sort, or a pattern that
    does not compile.
    """
    own = _toml(text, "profile")
    where = f"profiles.{own.get('name', '?')}"
    if overlay is not None:
        _check_patterns(overlay, where)
    merged = _merge(_merge(_toml(common, "common.toml"), own), overlay or {})
    return _profile(Table(merged, where))


def _toml(text: str, where: str) -> Toml:
    try:
        return load_toml(text)
    except ValueError as error:
        told = " ".join(str(error).split())[:200]
        raise ConfigError(f"not TOML: {told}", where=where) from error


def _merge(below: Toml, above: Toml) -> dict[str, object]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = _merge(old, value)
        elif key in _ADDED and isinstance(old, list) and isinstance(value, list):
            merged[key] = [*old, *(line for line in value if line not in old)]
        else:
            merged[key] = value
    return merged


_PATTERN_KEYS: Final = frozenset(
    {
        "title_pattern",
        "tag_pattern",
        "release_branch_pattern",
        "template_lines",
        "trailer_lines",
        "hidden_fix_words",
        "bug_words",
        "words",
        "paths",
        "settings",
    }
)


def _check_patterns(overlay: Toml, where: str) -> None:
    for key, value in overlay.items():
        if isinstance(value, Mapping):
            _check_patterns(value, f"{where}.{key}")
        elif key in _PATTERN_KEYS:
            for pattern in _texts_within(value):
                _check_pattern(pattern, f"{where}.{key}")
        elif key == "kind_words" and isinstance(value, list):
            for rule in value:
                if isinstance(rule, Mapping):
                    _check_patterns(rule, f"{where}.{key}")


def _texts_within(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for part in value for text in _texts_within(part)]
    return []


def _check_pattern(pattern: str, where: str) -> None:
    if len(pattern) > _PATTERN_LIMIT:
        raise ConfigError(f"pattern longer than {_PATTERN_LIMIT} characters", where=where)
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(
            f"not a regular expression: {error}", where=where, mend=f"wrote {pattern[:80]!r}"
        ) from error


def _profile(table: Table) -> Profile:
    table.refuse_unknown(Profile.__struct_fields__)
    return Profile(
        name=table.text("name"),
        verified=table.flag("verified"),
        upstreams=table.list("upstreams"),
        branch=table.text("branch", "main"),
        landing=table.choice("landing", Landing, Landing.SQUASH),
        package=table.optional_text("package"),
        module=table.text("module", ""),
        title_pattern=_optional_regex(table, "title_pattern"),
        kinds=_kinds(table),
        template_lines=_regexes(table, "template_lines"),
        trailer_lines=_regexes(table, "trailer_lines"),
        tag_pattern=Regex(table.text("tag_pattern")),
        release_branch_pattern=Regex(table.text("release_branch_pattern")),
        facets=tuple(_facet(name, part) for name, part in table.tables("facets")),
        issues=_issues(table.table("issues")),
        config_roots=table.list("config_roots"),
        entry_points=table.texts("entry_points"),
        examples=table.list("examples"),
        releases=table.texts("releases"),
        size_hint_mb=table.whole_number("size_hint_mb"),
        large=table.flag("large"),
        template_sections=table.list("template_sections"),
        kind_words=_kind_words(table),
        hidden_fix_words=_optional_regex(table, "hidden_fix_words"),
        bug_words=_optional_regex(table, "bug_words"),
    )


def _regexes(table: Table, key: str) -> tuple[Regex, ...]:
    return tuple(Regex(pattern) for pattern in table.list(key))


def _optional_regex(table: Table, key: str) -> Regex | None:
    pattern = table.optional_text(key)
    return None if pattern is None else Regex(pattern)


def _kinds(table: Table) -> dict[str, str]:
    known = {kind.value for kind in Kind}
    kinds = {tag.lower(): kind for tag, kind in table.texts("kinds").items()}
    for tag, kind in kinds.items():
        if kind not in known:
            raise ConfigError(
                f"unknown kind {kind!r}",
                where=f"{table.where}.kinds.{tag}",
                mend=f"one of {', '.join(sorted(known))}",
            )
    return kinds


def _kind_words(table: Table) -> tuple[tuple[str, Regex], ...]:
    return tuple(
        (part.choice("kind", Kind, Kind.OTHER).value, Regex(part.text("words")))
        for part in table.list_of_tables("kind_words")
    )


def _facet(name: str, part: Table) -> FacetRule:
    part.refuse_unknown(FacetRule.__struct_fields__)
    return FacetRule(
        name=name,
        group=part.optional_text("group") or None,
        words=Regex(part.text("words")),
        settings=part.pairs("settings"),
        paths=_optional_regex(part, "paths"),
    )


def _issues(part: Table) -> IssueRules:
    part.refuse_unknown(IssueRules.__struct_fields__)
    return IssueRules(
        labels=part.list("labels"),
        title_prefixes=part.list("title_prefixes"),
        form_headings=part.list("form_headings"),
        stale_labels=part.list("stale_labels"),
        bots=part.list("bots"),
    )


def _named_after(profile: Profile, upstream: str, overlay: Toml | None) -> Profile:
    match = _REPOSITORY.fullmatch(upstream)
    name = match.group(1) if match else upstream
    given = overlay or {}
    return replace(
        profile,
        upstreams=(upstream,),
        package=profile.package if "package" in given else name.lower(),
        module=profile.module if "module" in given else re.sub(r"\W", "_", name).lower(),
    )
