"""Which of an upstream's primary configurations a run starts from, and the groups it chooses.

Pure. Said by the user (``--config-name``, a defaults list) or told by the keys that the user sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from watcher.usage.given import GivenSetting
from watcher.usage.values import canonical_key
from watcher.usage.yaml_nodes import Items, NotYamlError, Scalar, Table, parse_yaml


class Program(Struct, frozen=True):
    """A primary configuration and the user's choices for its groups."""

    name: str
    groups: tuple[str, ...] = ()


def choose_program(given: Sequence[GivenSetting], files: Mapping[str, str]) -> Program | None:
    """The program among the files of a configuration root; None when none fits at all.

    ``files``: path below the root -> text.
    """
    names = {path.rpartition(".")[0] for path in files if "/" not in path and _is_yaml(path)}
    groups = tuple(
        f"{item.key}={item.value}"
        for item in given
        if "." not in item.key and f"{item.key.partition('@')[0]}/{item.value}.yaml" in files
    )
    for item in given:
        said = item.value.removesuffix(".yaml").removesuffix(".yml")
        if canonical_key(item.key) in {"config_name", "defaults"} and said in names:
            return Program(said, groups)
    heads = {item.key.partition(".")[0] for item in given if "." in item.key}
    if not heads:
        return None
    scored = [
        (-len(heads & _top_keys(files[f"{name}.yaml"])), name.startswith("_"), len(name), name)
        for name in names
        if f"{name}.yaml" in files
    ]
    best = min(scored, default=None)
    return Program(best[-1], groups) if best and best[0] < 0 else None


def _is_yaml(path: str) -> bool:
    return path.endswith((".yaml", ".yml"))


def _top_keys(text: str) -> set[str]:
    """Top-level keys of a configuration, those brought in by its defaults list included."""
    try:
        root = parse_yaml(text)
    except NotYamlError:
        return set()
    if not isinstance(root, Table):
        return set()
    keys = {key.text for key, _ in root.pairs}
    for key, value in root.pairs:
        if key.text == "defaults" and isinstance(value, Items):
            keys |= {name for item in value.values for name in _packages(item)}
    return keys


def _packages(item: object) -> set[str]:
    if isinstance(item, Scalar):
        return set()
    if isinstance(item, Table):
        heads = (key.text.partition("@") for key, _ in item.pairs)
        return {(package or name).partition(".")[0] for name, _, package in heads}
    return set()
