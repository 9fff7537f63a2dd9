"""An upstream's own default configuration, composed by hydra-core from its files at the pin.

Writes the files handed in to a scratch directory and removes it. Only the defaults list is
composed: no target is instantiated and no interpolation is resolved by OmegaConf (that would read
the environment); references are filled in by ``usage.interpolation``.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from watcher.usage.baseline import Baseline
from watcher.usage.examples import Examples
from watcher.usage.glosses import read_glosses
from watcher.usage.interpolation import interpolate

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 20_000_000
MAX_LEAVES: Final = 20_000
_NO_EXAMPLES: Final = Examples()
_LOCK: Final = threading.Lock()
"""Hydra keeps one global state a process."""


def compose(
    upstream: str,
    files: Mapping[str, str],
    program: str,
    *,
    groups: Sequence[str] = (),
    examples: Examples = _NO_EXAMPLES,
) -> Baseline:
    """Defaults of one upstream.

    ``files``: path below the configuration root -> text. ``program``: name of the primary
    configuration, without its suffix. ``groups``: choices of the user such as ``actor=megatron``;
    they are left out again when the configuration does not take them. A configuration that does not
    compose gives a baseline with its reason, never an exception.
    """
    source = f"{program}.yaml"
    if reason := _refusal(files, source):
        return Baseline(upstream=upstream, examples=examples, source=source, reason=reason)
    last = ""
    for choice in ((*groups,), ()):
        try:
            defaults = _compose(files, program, choice)
        except Exception as error:  # noqa: BLE001  hydra raises whatever the files provoke
            last = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            continue
        return Baseline(
            upstream=upstream,
            defaults=interpolate(defaults),
            examples=examples,
            glosses=read_glosses(files.values(), examples),
            source=source,
        )
    reason = f"the default configuration does not compose: {last}"
    return Baseline(upstream=upstream, examples=examples, source=source, reason=reason)


def _refusal(files: Mapping[str, str], source: str) -> str | None:
    """Why these files are not given to hydra at all."""
    if source not in files:
        return f"{source} is not among the files of the configuration root"
    if len(files) > MAX_FILES or sum(map(len, files.values())) > MAX_BYTES:
        return "the configuration root is too large"
    if any(not _is_inside(path) for path in files):
        return "a path leaves the configuration root"
    if any("searchpath" in text for text in files.values()):
        return "the configuration names a search path outside of its root"
    return None


def _is_inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\0" not in path


def _compose(files: Mapping[str, str], program: str, groups: Sequence[str]) -> dict[str, str]:
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from omegaconf import OmegaConf

    with tempfile.TemporaryDirectory(prefix="watcher-config-") as scratch:
        root = Path(scratch)
        for path, text in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        with _LOCK, initialize_config_dir(config_dir=str(root), version_base="1.3"):
            composed = hydra_compose(config_name=program, overrides=list(groups))
        plain = OmegaConf.to_container(composed, resolve=False, throw_on_missing=False)
    leaves = dict(_leaves(plain, ""))
    if len(leaves) > MAX_LEAVES:
        message = f"more than {MAX_LEAVES} values"
        raise ValueError(message)
    return leaves


def _leaves(value: object, prefix: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{prefix}.{key}" if prefix else str(key))
    elif prefix:
        yield prefix, _text(value)


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{','.join(_text(item) for item in value)}]"[:2_000]
    return str(value)[:2_000]
