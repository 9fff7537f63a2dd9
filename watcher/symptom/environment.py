"""Package versions in logs and reports: ``collect_env`` blocks, requirement lines, banners.

Pure. One line of text in, ``(package, version)`` pairs out.
"""

from __future__ import annotations

import re

_PINNED = re.compile(r"(?:^|(?<=[\s,;|\[(]))([A-Za-z][\w.-]{1,60})==(\d[\w.+!-]{0,60})")
_COLLECTED = re.compile(r"\[(?:pip3?|conda)\]\s+([A-Za-z][\w.-]{1,60})(?:==|\s+)(\d[\w.+-]{0,60})")
_NAMED = re.compile(
    r"(PyTorch|vLLM|Transformers|Ray|CUDA|Python|Triton|SGLang|DeepSpeed|NCCL|TRL|Verl)"
    r"(?: [A-Za-z]{1,12}){0,3}\s{0,4}(?:[Vv]ersion\s{0,8}:?|:)\s{0,8}v?(\d+\.\d[\w.+-]{0,60})",
    re.IGNORECASE,
)
_BANNER = re.compile(
    r"\b(vLLM|LLM engine|verl|SGLang)\b.{0,40}?(?:version |\(v)(\d+\.\d[\w.+-]{0,60})",
    re.IGNORECASE,
)
_CANONICAL = {"pytorch": "torch", "llm engine": "vllm"}


def find_versions(text: str) -> list[tuple[str, str]]:
    """Versions that a line states, package names in lower case with ``-`` for ``_``."""
    found = [*_COLLECTED.findall(text), *_PINNED.findall(text), *_NAMED.findall(text)]
    found += _BANNER.findall(text)
    return [(_canonical(name), version.rstrip(".,-")) for name, version in found]


def may_state_version(text: str) -> bool:
    """Cheap test before ``find_versions``."""
    return "==" in text or "ersion" in text or "[pip" in text or "[conda" in text or "(v" in text


def _canonical(name: str) -> str:
    lowered = name.lower().replace("_", "-")
    return _CANONICAL.get(lowered, lowered)
