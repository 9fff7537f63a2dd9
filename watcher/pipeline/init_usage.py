"""Launch scripts, configurations, code and GPU counts that a project seems to train with.

Gathers through ``ports.Files``. Only tells where to look; ``watcher.usage`` reads the contents.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from watcher.ports.files import Files
from watcher.upstreams.profile import Profile

_MAX_FILES = 1_000
_READ_LIMIT = 200_000
_OVERRIDE = re.compile(
    r"(?:^|\s)\+{0,2}([a-z_][a-z0-9_]{1,60})\.[a-z_][A-Za-z0-9_.]{0,200}=", re.MULTILINE
)
_GPUS = re.compile(r"(?:n_gpus_per_node|nproc[_-]per[_-]node|gpus_per_node)[\s=]+([0-9]{1,4})\b")
_NODES = re.compile(r"(?:\bnnodes|--nnodes)[\s=]+([0-9]{1,4})\b")
_COMPOSED = re.compile(r"^(?:defaults:|# @package|hydra:)", re.MULTILINE)


class FoundUsage(Struct, frozen=True):
    """What ``[usage]`` may list, each with why."""

    config: tuple[tuple[str, str], ...] = ()
    """(path, why)."""
    code: tuple[tuple[str, str], ...] = ()
    gpus: int | None = None
    gpus_from: str = ""


def find_usage(
    files: Files, root: Path, *, profiles: Sequence[Profile], leave_out: Collection[str]
) -> FoundUsage:
    """Usage of the project in ``root``; ``leave_out`` are directories with upstreams' own code."""

    def texts(*patterns: str) -> Iterator[tuple[str, str]]:
        for path in files.find(root, patterns)[:_MAX_FILES]:
            name = path.relative_to(root).as_posix()
            if not any(name == out or name.startswith(f"{out}/") for out in leave_out):
                yield name, files.read(path, limit=_READ_LIMIT) or ""

    if "." in leave_out:
        return FoundUsage()
    launches = _launches(profiles)
    scripts = [(name, text) for name, text in texts("*.sh") if launches.search(text)]
    keys = {key for _, text in scripts for key in _OVERRIDE.findall(text)}
    config = [(name, _launch_words(text, launches)) for name, text in scripts]
    config += [(name, why) for name, text in texts("*.yaml", "*.yml") if (why := _why(text, keys))]
    gpus, gpus_from = _gpus(scripts)
    code = _code(list(texts("*.py")), profiles)
    return FoundUsage(tuple(config), tuple(code.items()), gpus, gpus_from)


def _launches(profiles: Sequence[Profile]) -> re.Pattern[str]:
    """Commands that start an upstream: ``python -m verl…``, ``vllm serve``, ``torchrun``."""
    modules = "|".join(sorted(re.escape(one.module) for one in profiles if one.module))
    scripts = {name for one in profiles for name in one.entry_points if "." not in name}
    names = "|".join(re.escape(name) for name in sorted(scripts | {"torchrun"}))
    return re.compile(
        rf"-m\s+(?:{modules})\b[\w.]{{0,200}}|(?:^|[\s;&])(?:{names})\s", re.MULTILINE
    )


def _launch_words(text: str, launches: re.Pattern[str]) -> str:
    match = launches.search(text)
    return f"runs {match[0].strip()}" if match else "launch script"


def _why(text: str, keys: Collection[str]) -> str:
    """Why a YAML file is a training configuration, else an empty text."""
    top_keys = re.findall(r"^([a-z_][a-z0-9_]{1,60}):", text, re.MULTILINE)
    shared = sorted(set(top_keys).intersection(keys))
    if shared:
        return f"sets {', '.join(shared[:3])}"
    return "composed by Hydra" if _COMPOSED.search(text) else ""


def _gpus(scripts: Sequence[tuple[str, str]]) -> tuple[int | None, str]:
    """The GPU count on which all launch scripts agree, and one that says so."""
    counts: dict[int, str] = {}
    for name, text in scripts:
        per_node = {int(count) for count in _GPUS.findall(text)}
        nodes = {int(count) for count in _NODES.findall(text)} or {1}
        if len(per_node) == 1 and len(nodes) == 1:
            counts.setdefault(per_node.pop() * nodes.pop(), name)
    if len(counts) != 1:
        return None, ""
    count, name = next(iter(counts.items()))
    return (count, name) if count else (None, "")


def _code(sources: Sequence[tuple[str, str]], profiles: Sequence[Profile]) -> dict[str, str]:
    """Top directories (or files) of the project that import an upstream -> which one."""
    modules = "|".join(sorted(re.escape(one.module) for one in profiles if one.module))
    imports = re.compile(rf"^[ \t]*(?:from|import)[ \t]+({modules})\b", re.MULTILINE)
    found: dict[str, set[str]] = {}
    for name, text in sources:
        imported = set(imports.findall(text))
        top = f"{name.split('/')[0]}/" if "/" in name else name
        if imported and top.rstrip("/") not in imported:
            found.setdefault(top, set()).update(imported)
    return {top: f"imports {', '.join(sorted(names))}" for top, names in sorted(found.items())}
